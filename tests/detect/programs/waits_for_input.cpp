#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

#include <sys/wait.h>

sem_t s;

// One waits for the other, the other for bytes of a child process that takes its time.
static void* One(void*) {
  sem_wait(&s);
  return nullptr;
}

int main() {
  sem_init(&s, 0, 0);
  int ends[2];
  int go[2];
  if (pipe(ends) != 0 || pipe(go) != 0) abort();
  pid_t child = fork();
  char byte = 1;
  if (child == 0) {
    if (read(go[0], &byte, 1) != 1 || write(ends[1], &byte, 1) != 1) abort();
    _exit(0);
  }
  pthread_t one;
  pthread_create(&one, nullptr, One, nullptr);
  for (int i = 0; i < 1000; ++i) sched_yield();
  if (write(go[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) abort();
#ifndef BUG
  sem_post(&s);
#endif
  pthread_join(one, nullptr);
  waitpid(child, nullptr, 0);
}
