/* Destructors of thread-specific data lock a mutex and set the value again for a second round. */
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int rounds;

static void Forget(void* value) {
  pthread_mutex_lock(&mutex);
  ++rounds;
  pthread_mutex_unlock(&mutex);
  if (rounds < 3) pthread_setspecific(key, value);
}

static void* Work(void* argument) {
  pthread_setspecific(key, argument);
  return NULL;
}

int main(void) {
  pthread_t thread;
  CHECK(pthread_key_create(&key, Forget) == 0);
  pthread_create(&thread, NULL, Work, &rounds);
  pthread_join(thread, NULL);
  printf("%d\n", rounds);
  return 0;
}
