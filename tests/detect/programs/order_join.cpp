#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
static void* One(void*) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  NextStep();
  return nullptr;
}
static void* Two(void*) {
  WaitStep(1);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return nullptr;
}

int main() {
  pthread_t one;
  pthread_t two;
  pthread_create(&one, nullptr, One, nullptr);
#ifndef BUG
  pthread_join(one, nullptr);
#endif
  pthread_create(&two, nullptr, Two, nullptr);
#ifdef BUG
  pthread_join(one, nullptr);
#endif
  pthread_join(two, nullptr);
}
