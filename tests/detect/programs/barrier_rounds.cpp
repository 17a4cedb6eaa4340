#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
pthread_barrier_t b;
int other;

static void* First(void*) {
  data = 1;
  pthread_barrier_wait(&b);
#ifdef BUG
  other = 1;
#endif
  NextStep();
  WaitStep(2);
#ifndef BUG
  other = 1;
#endif
  pthread_barrier_wait(&b);
  return nullptr;
}
static void* Second(void*) {
  pthread_barrier_wait(&b);
  WaitStep(1);
  data = 2;
#ifdef BUG
  other = 2;
#endif
  NextStep();
  pthread_barrier_wait(&b);
#ifndef BUG
  other = 2;
#endif
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
