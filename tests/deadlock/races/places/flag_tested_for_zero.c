#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int value, late;
static atomic_int ready;
static void *one(void *arg) {
  value = 5;  // RACE
  late = 1;  // NORACE
  atomic_store_explicit(&ready, 1, memory_order_release);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, one, NULL);
  if (atomic_load_explicit(&ready, memory_order_acquire) == 0)
    value++;  // RACE
  else
    late++;  // NORACE
  pthread_join(t, NULL);
  return 0;
}
