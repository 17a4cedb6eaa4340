#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);

static void* First(void*) {
  data = 1;
#ifndef BUG
  __tsan_release(&data);
#endif
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
  __tsan_acquire(&data);
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
