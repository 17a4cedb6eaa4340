/* The other ways to join, and a join that must fail. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "check.h"

static sem_t go;
static const struct timespec past = {1, 0};

static void* Wait(void* argument) {
  sem_wait(&go);
  return argument;
}

int main(void) {
  pthread_t a;
  sem_init(&go, 0, 0);
  pthread_create(&a, NULL, Wait, &go);
  CHECK(pthread_tryjoin_np(a, NULL) == EBUSY);
  CHECK(pthread_timedjoin_np(a, NULL, &past) == ETIMEDOUT);
  CHECK(pthread_clockjoin_np(a, NULL, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
  CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
  sem_post(&go);
  void* result = NULL;
  CHECK(pthread_join(a, &result) == 0);
  CHECK(result == &go);
  puts("joined");
  return 0;
}
