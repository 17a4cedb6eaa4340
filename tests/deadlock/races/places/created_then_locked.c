// why: the thread waits for the lock that its creator had, and so for what it did
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
static void *child(void *arg) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  x++;  // NORACE
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, NULL, child, NULL);
  x++;  // NORACE
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
