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
  WaitStep(0);
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
  pthread_mutex_lock(&c);
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&b);
  NextStep();
  return nullptr;
}
static void* Three(void*) {
  WaitStep(2);
#ifdef BUG
  pthread_mutex_lock(&c);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&c);
#else
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&c);
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&a);
#endif
  NextStep();
  return nullptr;
}

int main() {
  pthread_t tOne;
  pthread_create(&tOne, nullptr, One, nullptr);
  pthread_t tTwo;
  pthread_create(&tTwo, nullptr, Two, nullptr);
  pthread_t tThree;
  pthread_create(&tThree, nullptr, Three, nullptr);
  pthread_join(tOne, nullptr);
  pthread_join(tTwo, nullptr);
  pthread_join(tThree, nullptr);
}
