#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int value;
static atomic_int ready;
static void *one(void *arg) {
  value = 5;  // RACE
  atomic_store_explicit(&ready, 1, memory_order_release);
  return arg;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, one, NULL);
  while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
  value++;  // RACE
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return 0;
}
