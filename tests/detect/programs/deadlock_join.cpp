#include <pthread.h>

#include "steps.h"

pthread_t one;
pthread_t two;

static void* One(void*) {
  WaitStep(1);
#ifdef BUG
  pthread_join(two, nullptr);
#endif
  return nullptr;
}
static void* Two(void*) {
  WaitStep(1);
  pthread_join(one, nullptr);
  return nullptr;
}

int main() {
  pthread_create(&one, nullptr, One, nullptr);
  pthread_create(&two, nullptr, Two, nullptr);
  NextStep();
  WaitStep(1);
#ifndef BUG
  pthread_join(two, nullptr);
#else
  pthread_exit(nullptr);
#endif
}
