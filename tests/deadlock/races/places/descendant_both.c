#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *leaf(void *arg) {
  x++;  // NORACE
  return arg;
}
static void *leaf2(void *arg) {
  x--;  // NORACE
  return arg;
}
static void *one(void *arg) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, NULL, leaf, NULL);
  pthread_join(t, NULL);
  pthread_mutex_unlock(&m);
  return arg;
}
static void *two(void *arg) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, NULL, leaf2, NULL);
  pthread_join(t, NULL);
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, one, NULL);
  pthread_create(&u, NULL, two, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
