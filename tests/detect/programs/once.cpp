#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
pthread_once_t o = PTHREAD_ONCE_INIT;
static void Make() { data = 1; }

static void* First(void*) {
  pthread_once(&o, Make);
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
#ifndef BUG
  pthread_once(&o, Make);
#endif
  data = 2;
  return nullptr;
}

int main() {
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, First, nullptr);
  pthread_create(&second, nullptr, Second, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
