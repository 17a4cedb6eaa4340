#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int choice(void);
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  int c = choice();
  if (c) pthread_mutex_lock(&m); else pthread_mutex_lock(&n);
  x++;  // RACE
  if (c) pthread_mutex_unlock(&m); else pthread_mutex_unlock(&n);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&m);
  x++;  // RACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
