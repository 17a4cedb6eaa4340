// A mutex is destroyed although its user has not been waited for.
#include <pthread.h>

#include "steps.h"

static pthread_mutex_t mutex;

static void* Use(void*) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

int main() {
  pthread_mutex_init(&mutex, nullptr);
  pthread_t thread;
  pthread_create(&thread, nullptr, Use, nullptr);
#ifndef BUG
  pthread_join(thread, nullptr);
#endif
  pthread_mutex_destroy(&mutex);
#ifdef BUG
  pthread_join(thread, nullptr);
#endif
}
