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
static void *other(void *arg) {
  pthread_mutex_lock(&m);
  x++;  // RACE
  pthread_mutex_unlock(&m);
  return arg;
}
static void *child(void *arg) {
  x++;  // RACE
  return arg;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, other, NULL);
  pthread_mutex_lock(&m);
  pthread_create(&u, NULL, child, NULL);
  pthread_mutex_unlock(&m);
  pthread_join(u, NULL);
  pthread_join(t, NULL);
  return 0;
}
