/* Locks and threads before main, and locks after it. */
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* Lock(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

__attribute__((constructor)) static void Before(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Lock, NULL);
  pthread_join(thread, NULL);
  puts("before");
}

__attribute__((destructor)) static void After(void) {
  Lock(NULL);
  puts("after");
}

static void AtExit(void) { Lock(NULL); }

int main(void) {
  atexit(AtExit);
  puts("main");
  return 0;
}
