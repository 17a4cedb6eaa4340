#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int value;
static struct { int ready; int more; } state, set = {1, 1};
static void *one(void *arg) {
  memcpy(&state, &set, sizeof set);
  value = 5;  // RACE
  __atomic_store_n(&state.ready, 1, __ATOMIC_RELEASE);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, one, NULL);
  while (!__atomic_load_n(&state.ready, __ATOMIC_ACQUIRE)) sched_yield();
  value++;  // RACE
  pthread_join(t, NULL);
  return 0;
}
