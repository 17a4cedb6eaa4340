/* Read-write locks: several readers at once, one writer alone, trying and timed forms. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static const struct timespec past = {1, 0};

static void* BesideReader(void* argument) {
  (void)argument;
  CHECK(pthread_rwlock_rdlock(&lock) == 0);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  CHECK(pthread_rwlock_tryrdlock(&lock) == 0);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY);
  CHECK(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
  return NULL;
}

static void* BesideWriter(void* argument) {
  (void)argument;
  CHECK(pthread_rwlock_tryrdlock(&lock) == EBUSY);
  CHECK(pthread_rwlock_timedrdlock(&lock, &past) == ETIMEDOUT);
  CHECK(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
  CHECK(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
  return NULL;
}

int main(void) {
  pthread_t thread;
  CHECK(pthread_rwlock_rdlock(&lock) == 0);
  CHECK(pthread_create(&thread, NULL, BesideReader, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  CHECK(pthread_rwlock_wrlock(&lock) == 0);
  CHECK(pthread_rwlock_rdlock(&lock) == EDEADLK);
  CHECK(pthread_create(&thread, NULL, BesideWriter, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  pthread_rwlock_t made;
  CHECK(pthread_rwlock_init(&made, NULL) == 0);
  CHECK(pthread_rwlock_trywrlock(&made) == 0);
  CHECK(pthread_rwlock_unlock(&made) == 0);
  CHECK(pthread_rwlock_destroy(&made) == 0);
  puts("done");
  return 0;
}
