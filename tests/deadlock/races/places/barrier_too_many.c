#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int value;
static pthread_barrier_t b;
static void *one(void *arg) {
  value = 5;  // RACE
  pthread_barrier_wait(&b);
  return arg;
}
static void *two(void *arg) {
  pthread_barrier_wait(&b);
  return arg;
}
int main(void) {
  pthread_t t, u, v;
  pthread_barrier_init(&b, NULL, 2);
  pthread_create(&t, NULL, one, NULL);
  pthread_create(&u, NULL, two, NULL);
  pthread_create(&v, NULL, two, NULL);
  pthread_barrier_wait(&b);
  value++;  // RACE
  return 0;
}
