#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static __thread int own;
static _Thread_local int *where;
static void *work(void *arg) {
  own++;  // NORACE
  where = &own;  // NORACE
  (*where)++;  // NORACE
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  own++;  // NORACE
  where = &own;  // NORACE
  (*where)++;  // NORACE
  pthread_join(t, NULL);
  return 0;
}
