// A robust mutex whose owner ends hands its data to the next one. The bug: the next one does not take it.
#include <pthread.h>

#include <cerrno>

#include "steps.h"

extern int data;
int data;

int main() {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  static pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &robust);
  pthread_t owner;
  pthread_create(
      &owner, nullptr,
      [](void*) -> void* {
        pthread_mutex_lock(&mutex);
        data = 1;
        return nullptr;
      },
      nullptr);
#ifdef BUG
  data = 2;
#else
  while (true) {
    int error = pthread_mutex_lock(&mutex);
    if (error == EOWNERDEAD) pthread_mutex_consistent(&mutex);
    int seen = data;
    if (seen == 1) data = 2;
    pthread_mutex_unlock(&mutex);
    if (seen == 1) break;
  }
#endif
  pthread_join(owner, nullptr);
  return data == 3 ? 2 : 0;
}
