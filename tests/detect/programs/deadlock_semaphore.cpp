#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

sem_t s;
static void* One(void*) {
  sem_wait(&s);
  return nullptr;
}
static void* Two(void*) {
#ifndef BUG
  sem_post(&s);
#endif
  return nullptr;
}

int main() {
  sem_init(&s, 0, 0);
  pthread_t tOne;
  pthread_create(&tOne, nullptr, One, nullptr);
  pthread_t tTwo;
  pthread_create(&tTwo, nullptr, Two, nullptr);
  pthread_join(tOne, nullptr);
  pthread_join(tTwo, nullptr);
}
