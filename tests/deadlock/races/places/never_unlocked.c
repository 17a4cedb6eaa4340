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
static void *child(void *arg) {
  x++;  // NORACE
  return arg;
}
static void *other(void *arg) {
  pthread_mutex_lock(&m);
  x++;  // NORACE
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&u, NULL, other, NULL);
  pthread_mutex_lock(&m);
  pthread_create(&t, NULL, child, NULL);
  for (;;) sched_yield();
}
