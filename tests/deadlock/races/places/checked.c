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
static void xlock(pthread_mutex_t *l) {
  int e = pthread_mutex_lock(l);
  if (e != 0) {
    fprintf(stderr, "lock: %d\n", e);
    abort();
  }
}
static void xunlock(pthread_mutex_t *l) {
  int e = pthread_mutex_unlock(l);
  assert(e == 0);
}
static void *work(void *arg) {
  xlock(&m);
  x++;  // NORACE
  xunlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  if (pthread_mutex_lock(&m) != 0) return 1;
  x++;  // NORACE
  if (pthread_mutex_unlock(&m)) return 1;
  pthread_join(t, NULL);
  return 0;
}
