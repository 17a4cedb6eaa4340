/* A robust mutex whose owner ends: the next one has the lock and is told. */
#include <errno.h>
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex;

static void* LockAndEnd(void* argument) {
  (void)argument;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  CHECK(pthread_mutex_init(&mutex, &kind) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, LockAndEnd, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  CHECK(pthread_mutex_consistent(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_trylock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  puts("done");
  return 0;
}
