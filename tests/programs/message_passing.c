/* Two threads hand a message over with fences, a lock-free way; the trace has the modification order. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "check.h"

static int message;
static atomic_int ready;
static atomic_int turns;
static sem_t go;

static void* Read(void* argument) {
  (void)argument;
  sem_wait(&go);
  CHECK(atomic_load_explicit(&ready, memory_order_relaxed) == 1);
  atomic_thread_fence(memory_order_acquire);
  CHECK(message == 42);
  for (int i = 0; i < 1000; ++i) atomic_fetch_add(&turns, 1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  sem_init(&go, 0, 0);
  pthread_create(&thread, NULL, Read, NULL);
  message = 42;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  sem_post(&go);
  for (int i = 0; i < 1000; ++i) atomic_fetch_add(&turns, 1);
  pthread_join(thread, NULL);
  printf("%d\n", turns);
  return 0;
}
