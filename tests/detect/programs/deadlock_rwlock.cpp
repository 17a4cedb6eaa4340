#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER;
pthread_rwlock_t b = PTHREAD_RWLOCK_INITIALIZER;
static void* One(void*) {
  pthread_rwlock_rdlock(&a);
#ifdef BUG
  NextStep();
  WaitStep(2);
  pthread_rwlock_wrlock(&b);
#else
  pthread_rwlock_rdlock(&b);
#endif
  pthread_rwlock_unlock(&b);
  pthread_rwlock_unlock(&a);
  return nullptr;
}
static void* Two(void*) {
  pthread_rwlock_rdlock(&b);
#ifdef BUG
  NextStep();
  WaitStep(2);
  pthread_rwlock_wrlock(&a);
#else
  pthread_rwlock_rdlock(&a);
#endif
  pthread_rwlock_unlock(&a);
  pthread_rwlock_unlock(&b);
  return nullptr;
}

int main() {
  pthread_t tOne;
  pthread_create(&tOne, nullptr, One, nullptr);
  pthread_t tTwo;
  pthread_create(&tTwo, nullptr, Two, nullptr);
  pthread_join(tOne, nullptr);
  pthread_join(tTwo, nullptr);
}
