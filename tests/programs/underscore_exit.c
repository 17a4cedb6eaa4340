/* _exit from a thread: no destructor runs, and the trace is complete. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "check.h"

static sem_t never;

static void* Leave(void* argument) {
  (void)argument;
  _exit(9);
}

__attribute__((destructor)) static void NotRun(void) { puts("destructor"); }

int main(void) {
  pthread_t thread;
  sem_init(&never, 0, 0);
  pthread_create(&thread, NULL, Leave, NULL);
  sem_wait(&never);
  return 0;
}
