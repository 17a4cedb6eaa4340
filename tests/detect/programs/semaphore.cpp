#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
sem_t s;

static void* First(void*) {
  data = 1;
#ifndef BUG
  sem_post(&s);
#endif
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
#ifndef BUG
  sem_wait(&s);
#endif
  data = 2;
  return nullptr;
}

int main() {
  sem_init(&s, 0, 0);
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, First, nullptr);
  pthread_create(&second, nullptr, Second, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
