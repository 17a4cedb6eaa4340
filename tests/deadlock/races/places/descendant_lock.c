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
static void *grandchild(void *arg) {
  x++;  // NORACE
  return arg;
}
static void *child(void *arg) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, NULL, grandchild, NULL);
  pthread_join(t, NULL);
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, child, NULL);
  pthread_mutex_lock(&m);
  x++;  // NORACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
