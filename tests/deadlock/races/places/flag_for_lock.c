// why: the number that says whether to lock is 1 wherever there are threads
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int choice(void);
static int threaded, x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void lock(void) { if (threaded) pthread_mutex_lock(&m); }
static void unlock(void) { if (threaded) pthread_mutex_unlock(&m); }
static void *work(void *arg) {
  lock();
  x++;  // NORACE
  unlock();
  return arg;
}
int main(void) {
  pthread_t t;
  threaded = 1;  // NORACE
  pthread_create(&t, NULL, work, NULL);
  lock();
  x++;  // NORACE
  unlock();
  pthread_join(t, NULL);
  return 0;
}
