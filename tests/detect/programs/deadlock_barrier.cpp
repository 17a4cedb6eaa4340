#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

pthread_barrier_t bar;
static void* One(void*) {
  pthread_barrier_wait(&bar);
  return nullptr;
}
static void* Two(void*) {
  pthread_barrier_wait(&bar);
  return nullptr;
}

int main() {
#ifdef BUG
  pthread_barrier_init(&bar, nullptr, 3);
#else
  pthread_barrier_init(&bar, nullptr, 2);
#endif
  pthread_t tOne;
  pthread_create(&tOne, nullptr, One, nullptr);
  pthread_t tTwo;
  pthread_create(&tTwo, nullptr, Two, nullptr);
  pthread_join(tOne, nullptr);
  pthread_join(tTwo, nullptr);
}
