/* Cancellation runs clean-up handlers from the inside out, with locks in them. */
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static sem_t locked;

static void Unlock(void* mutex) {
  puts(mutex == &inner ? "inner" : "outer");
  pthread_mutex_unlock(mutex);
}

static void* Work(void* argument) {
  (void)argument;
  pthread_mutex_lock(&outer);
  pthread_cleanup_push(Unlock, &outer);
  pthread_mutex_lock(&inner);
  pthread_cleanup_push(Unlock, &inner);
  sem_post(&locked);
  sem_wait(&never);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* CancelledBefore(void* argument) {
  (void)argument;
  pthread_cancel(pthread_self());
  sem_wait(&locked); /* there is something to take, but a wait is where cancellation acts */
  puts("not cancelled");
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  sem_init(&never, 0, 0);
  sem_init(&locked, 0, 0);
  pthread_create(&thread, NULL, Work, NULL);
  sem_wait(&locked);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
  sem_post(&locked);
  pthread_create(&thread, NULL, CancelledBefore, NULL);
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  return 0;
}
