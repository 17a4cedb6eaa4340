#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void* First(void*) {
  pthread_mutex_lock(&m);
  data = 1;
  pthread_mutex_unlock(&m);
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
#ifndef BUG
  pthread_mutex_lock(&m);
#endif
  data = 2;
#ifndef BUG
  pthread_mutex_unlock(&m);
#endif
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
