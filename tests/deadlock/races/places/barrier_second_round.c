#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int value, next;
static pthread_barrier_t b;
static void *one(void *arg) {
  value = 5;  // NORACE
  pthread_barrier_wait(&b);
  next = 1;  // RACE
  pthread_barrier_wait(&b);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&b, NULL, 2);
  pthread_create(&t, NULL, one, NULL);
  pthread_barrier_wait(&b);
  value++;  // NORACE
  next++;  // RACE
  pthread_barrier_wait(&b);
  pthread_join(t, NULL);
  return 0;
}
