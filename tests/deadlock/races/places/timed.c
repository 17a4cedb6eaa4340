#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  struct timespec until = {0, 0};
  if (pthread_mutex_timedlock(&m, &until) == 0) {
    x++;  // NORACE
    pthread_mutex_unlock(&m);
  }
  if (pthread_mutex_timedlock(&m, &until) != 0) {
    y++;  // RACE
    return arg;
  }
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&m);
  x++;  // NORACE
  y++;  // RACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
