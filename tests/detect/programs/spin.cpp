#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
pthread_spinlock_t s;

static void* First(void*) {
  pthread_spin_lock(&s);
  data = 1;
  pthread_spin_unlock(&s);
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
#ifndef BUG
  pthread_spin_lock(&s);
#endif
  data = 2;
#ifndef BUG
  pthread_spin_unlock(&s);
#endif
  return nullptr;
}

int main() {
  pthread_spin_init(&s, 0);
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, First, nullptr);
  pthread_create(&second, nullptr, Second, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
