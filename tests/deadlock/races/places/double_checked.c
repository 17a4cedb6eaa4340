#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <assert.h>
static int *shared;
static _Atomic(int *) right;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  if (shared == NULL) {  // RACE
    pthread_mutex_lock(&m);
    if (shared == NULL) shared = malloc(sizeof *shared);  // RACE
    pthread_mutex_unlock(&m);
  }
  int *p = atomic_load_explicit(&right, memory_order_acquire);
  if (p == NULL) {
    pthread_mutex_lock(&m);
    p = atomic_load_explicit(&right, memory_order_relaxed);
    if (p == NULL) {
      p = malloc(sizeof *p);
      *p = 3;  // NORACE
      atomic_store_explicit(&right, p, memory_order_release);
    }
    pthread_mutex_unlock(&m);
  }
  return (void *)(long)*p;  // NORACE
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, work, NULL);
  pthread_create(&u, NULL, work, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
