#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int value, late;
static pthread_barrier_t b;
static void *work(void *arg) {
  value = 5;  // NORACE
  pthread_barrier_wait(&b);
  late++;  // RACE
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&b, NULL, 2);
  pthread_create(&t, NULL, work, NULL);
  pthread_barrier_wait(&b);
  value++;  // NORACE
  late++;  // RACE
  pthread_join(t, NULL);
  return 0;
}
