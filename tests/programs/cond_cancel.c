/* A thread cancelled in a condition wait has the mutex again when its clean-up handler runs. */
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t waiting;

static void Unlock(void* argument) {
  puts("clean-up");
  pthread_mutex_unlock(argument);
}

static void* Waiter(void* argument) {
  (void)argument;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(Unlock, &mutex);
  sem_post(&waiting);
  for (;;) pthread_cond_wait(&cond, &mutex);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  sem_init(&waiting, 0, 0);
  pthread_create(&thread, NULL, Waiter, NULL);
  sem_wait(&waiting);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  CHECK(pthread_cancel(thread) == 0);
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}
