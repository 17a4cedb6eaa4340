/* Trying and timed locking of a mutex that another thread holds, and of one that is free. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec past = {1, 0};

static void* Attempts(void* argument) {
  (void)argument;
  CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
  CHECK(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
  CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
  return NULL;
}

int main(void) {
  pthread_t thread;
  CHECK(pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_create(&thread, NULL, Attempts, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_timedlock(&mutex, &past) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &past) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0);
  puts("done");
  return 0;
}
