#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int value, other;
static atomic_int ready;
static void *one(void *arg) {
  value = 5;  // RACE
  atomic_store_explicit(&ready, 1, memory_order_release);
  return arg;
}
static void *two(void *arg) {
  other = 5;  // RACE
  atomic_store_explicit(&ready, 1, memory_order_release);
  return arg;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, one, NULL);
  pthread_create(&u, NULL, two, NULL);
  while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
  value++;  // RACE
  other++;  // RACE
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
