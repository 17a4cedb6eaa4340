#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void* First(void*) {
  int copy = data;
  (void)*const_cast<volatile int*>(&copy);
#ifdef BUG
#else
  pthread_rwlock_rdlock(&l);
  pthread_rwlock_unlock(&l);
#endif
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
  pthread_rwlock_wrlock(&l);
  data = 2;
  pthread_rwlock_unlock(&l);
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
