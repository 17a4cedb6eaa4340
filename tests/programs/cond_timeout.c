/* Timed waits on a condition variable that nobody signals. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

static const struct timespec past = {1, 0};

int main(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  CHECK(pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT);
  CHECK(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
  CHECK(pthread_cond_signal(&cond) == 0);
  pthread_mutex_unlock(&mutex);
  puts("timed out twice");
  return 0;
}
