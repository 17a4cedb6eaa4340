#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int value, wrong;
static atomic_int ready, other;
static void *work(void *arg) {
  value = 5;  // NORACE
  atomic_store_explicit(&ready, 1, memory_order_release);
  wrong = 1;  // RACE
  atomic_store_explicit(&other, 1, memory_order_relaxed);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
  value++;  // NORACE
  while (!atomic_load_explicit(&other, memory_order_relaxed)) sched_yield();
  wrong++;  // RACE
  pthread_join(t, NULL);
  return 0;
}
