#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "steps.h"

int data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

static void* First(void*) {
  data = 1;
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
#ifdef BUG
  data = 3;
#endif
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  pthread_mutex_lock(&m);
  while (ready == 0) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  WaitStep(1);
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
