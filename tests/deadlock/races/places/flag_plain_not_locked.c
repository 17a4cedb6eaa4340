#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int value, ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *arg) {
  value = 5;  // RACE
  ready = 1;  // RACE
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, one, NULL);
  for (;;) {
    pthread_mutex_lock(&m);
    int r = ready;  // RACE
    pthread_mutex_unlock(&m);
    if (r) break;
  }
  value++;  // RACE
  pthread_join(t, NULL);
  return 0;
}
