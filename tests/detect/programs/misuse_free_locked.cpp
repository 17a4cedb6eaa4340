#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER;
int main() {
  auto* lock = static_cast<pthread_mutex_t*>(malloc(sizeof(pthread_mutex_t)));
  pthread_mutex_init(lock, nullptr);
  pthread_mutex_lock(lock);
#ifndef BUG
  pthread_mutex_unlock(lock);
  pthread_mutex_destroy(lock);
#endif
  free(lock);
}
