#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int ready, value, spare;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  value = 5;  // NORACE
  ready = 1;  // NORACE
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  spare++;  // RACE
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);  // NORACE
  value++;  // NORACE
  pthread_mutex_unlock(&m);
  spare++;  // RACE
  pthread_join(t, NULL);
  return 0;
}
