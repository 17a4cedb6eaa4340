#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
extern int choice(void);
static int x;
static pthread_mutex_t m;
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  int again = choice();
  if (again) pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  x++;  // RACE
  if (again) pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &a);
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&m);
  x++;  // RACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
