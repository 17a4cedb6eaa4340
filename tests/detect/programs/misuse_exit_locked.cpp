#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
static void* One(void*) {
  pthread_mutex_lock(&a);
#ifndef BUG
  pthread_mutex_unlock(&a);
#endif
  return nullptr;
}

int main() {
  pthread_t tOne;
  pthread_create(&tOne, nullptr, One, nullptr);
  pthread_join(tOne, nullptr);
}
