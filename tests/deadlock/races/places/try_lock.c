#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
int x, y, z;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  if (pthread_mutex_trylock(&m) == 0) {
    x++;  // NORACE
    pthread_mutex_unlock(&m);
  } else {
    y++;  // RACE
  }
  while (pthread_mutex_trylock(&m) != 0) sched_yield();
  z++;  // NORACE
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&m);
  x++;  // NORACE
  y++;  // RACE
  z++;  // NORACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
