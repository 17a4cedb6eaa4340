/* A recursive mutex: the owner locks again, the others are kept out until the last unlock. */
#include <errno.h>
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex;

static void* Try(void* argument) {
  (void)argument;
  CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t kind;
  CHECK(pthread_mutexattr_init(&kind) == 0);
  CHECK(pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE) == 0);
  CHECK(pthread_mutex_init(&mutex, &kind) == 0);
  for (int i = 0; i < 3; ++i) CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_trylock(&mutex) == 0);
  for (int i = 0; i < 3; ++i) CHECK(pthread_mutex_unlock(&mutex) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, Try, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == EPERM);
  puts("done");
  return 0;
}
