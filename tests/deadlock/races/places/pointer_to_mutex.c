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
pthread_mutex_t *mp = &m;
static void *work(void *arg) {
  pthread_mutex_lock(mp);
  x++;  // NORACE
  pthread_mutex_unlock(mp);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&m);
  x++;  // NORACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
