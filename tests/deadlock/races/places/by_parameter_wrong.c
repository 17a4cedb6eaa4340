#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void bump(int *v, pthread_mutex_t *lock) {
  pthread_mutex_lock(lock);
  (*v)++;  // RACE
  pthread_mutex_unlock(lock);
}
static void *work(void *arg) {
  bump(&x, &m);
  bump(&y, &n);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  bump(&x, &n);
  bump(&y, &m);
  pthread_join(t, NULL);
  return 0;
}
