#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
char bytes[8];

static void* First(void*) {
  bytes[2] = 1;
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
#ifdef BUG
  bytes[2] = 2;
#else
  bytes[3] = 2;
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
