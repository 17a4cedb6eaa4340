#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
int* block;

static void* First(void*) {
  *block = 1;
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
#ifdef BUG
  delete block;
#endif
  return nullptr;
}

int main() {
  block = new int(0);
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, First, nullptr);
  pthread_create(&second, nullptr, Second, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
