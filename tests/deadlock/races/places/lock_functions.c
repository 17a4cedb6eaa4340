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
static void take(void) { pthread_mutex_lock(&m); }
static void give(void) { pthread_mutex_unlock(&m); }
static void *work(void *arg) {
  take();
  x++;  // NORACE
  give();
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  take();
  x++;  // NORACE
  give();
  pthread_join(t, NULL);
  return 0;
}
