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
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER, o = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  pthread_mutex_lock(&o);
  if (choice()) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }  // NORACE
  else { pthread_mutex_lock(&n); x--; pthread_mutex_unlock(&n); }  // NORACE
  pthread_mutex_unlock(&o);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  pthread_mutex_lock(&o);
  x++;  // NORACE
  pthread_mutex_unlock(&o);
  pthread_join(t, NULL);
  return 0;
}
