/* An error-checking mutex: locking twice and unlocking another's lock fail, and the program sees why. */
#include <errno.h>
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex;

static void* Unlock(void* argument) {
  (void)argument;
  CHECK(pthread_mutex_unlock(&mutex) == EPERM);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  CHECK(pthread_mutex_init(&mutex, &kind) == 0);
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_lock(&mutex) == EDEADLK);
  CHECK(pthread_mutex_destroy(&mutex) == EBUSY);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, Unlock, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_destroy(&mutex) == 0);
  puts("done");
  return 0;
}
