#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
char block[4096];

static void* First(void*) {
  size_t bytes = 3000;
  asm volatile("" : "+r"(bytes));  // a constant would be expanded in line, which gcc does not instrument
  memset(block, 1, bytes);
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
#ifdef BUG
  block[2999] = 2;
#else
  block[3000] = 2;
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
