#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int ready;
static void* One(void*) {
  pthread_mutex_lock(&a);
  NextStep();
  while (ready == 0) pthread_cond_wait(&cond, &a);
  pthread_mutex_unlock(&a);
  return nullptr;
}
static void* Two(void*) {
  WaitStep(1);
  pthread_mutex_lock(&a);
  ready = 1;
#ifndef BUG
  pthread_cond_signal(&cond);
#endif
  pthread_mutex_unlock(&a);
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
