#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
int ends[2];

static void* First(void*) {
  char byte = 1;
#ifndef BUG
  data = 1;
#endif
  if (write(ends[1], &byte, 1) != 1) abort();
#ifdef BUG
  data = 1;
#endif
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  char byte = 0;
  if (read(ends[0], &byte, 1) != 1) abort();
  WaitStep(1);
  data = 2;
  return nullptr;
}

int main() {
  if (pipe(ends) != 0) abort();
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, First, nullptr);
  pthread_create(&second, nullptr, Second, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
