/* A crash in a thread: everything before it is in the trace, of all threads. */
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static int* volatile nowhere;
static int last;

static void* Crash(void* argument) {
  pthread_mutex_lock(&mutex);
  last = 1;
  *nowhere = 1;
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  sem_init(&never, 0, 0);
  pthread_create(&thread, NULL, Crash, NULL);
  sem_wait(&never);
  return 0;
}
