#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
pthread_barrier_t b;

static void* First(void*) {
#ifndef BUG
  data = 1;
#endif
  pthread_barrier_wait(&b);
#ifdef BUG
  data = 1;
#endif
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  pthread_barrier_wait(&b);
  WaitStep(1);
  data = 2;
  return nullptr;
}

int main() {
  pthread_barrier_init(&b, nullptr, 2);
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, First, nullptr);
  pthread_create(&second, nullptr, Second, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
