#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int *p;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  int *q = p;  // NORACE
  pthread_mutex_unlock(&m);
  (*q)++;  // RACE
  return arg;
}
int main(void) {
  pthread_t t;
  p = malloc(sizeof *p);  // NORACE
  *p = 1;  // NORACE
  pthread_create(&t, NULL, work, NULL);
  free(p);  // RACE
  pthread_join(t, NULL);
  return 0;
}
