#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next(void) {
  static int count;
  return ++count;  // RACE
}
static int next_locked(void) {
  static int count;
  pthread_mutex_lock(&m);
  int n = ++count;  // NORACE
  pthread_mutex_unlock(&m);
  return n;
}
static void *work(void *arg) {
  next();
  next_locked();
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  next();
  next_locked();
  pthread_join(t, NULL);
  return 0;
}
