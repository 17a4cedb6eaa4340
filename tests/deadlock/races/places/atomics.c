#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
_Atomic int a;
int b, c;
volatile int d;
static void *work(void *arg) {
  a++;  // NORACE
  __atomic_fetch_add(&b, 1, __ATOMIC_RELAXED);  // NORACE
  __atomic_store_n(&c, 1, __ATOMIC_RELAXED);  // RACE
  d++;  // RACE
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  a = 4;  // NORACE
  __atomic_store_n(&b, 1, __ATOMIC_RELAXED);  // NORACE
  c = 2;  // RACE
  d = 1;  // RACE
  pthread_join(t, NULL);
  return b;  // NORACE
}
