/* The main thread ends before the others; the process ends with the last of them. */
#include <pthread.h>

#include "check.h"

static pthread_t main_thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* Last(void* argument) {
  CHECK(pthread_join(main_thread, NULL) == 0);
  pthread_mutex_lock(&mutex);
  puts("last");
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  main_thread = pthread_self();
  pthread_create(&thread, NULL, Last, NULL);
  pthread_detach(thread);
  pthread_exit(NULL);
}
