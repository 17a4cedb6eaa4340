#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int config;
static int stop;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  for (;;) {
    pthread_mutex_lock(&m);
    int s = stop;  // NORACE
    pthread_mutex_unlock(&m);
    if (s) break;
    int c = config;  // NORACE
    (void)c;
  }
  return arg;
}
int main(void) {
  pthread_t t, u;
  config = 3;  // NORACE
  pthread_create(&t, NULL, work, NULL);
  pthread_create(&u, NULL, work, NULL);
  pthread_mutex_lock(&m);
  stop = 1;  // NORACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
