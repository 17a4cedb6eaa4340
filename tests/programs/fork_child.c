/* A child of fork locks, starts a thread and ends; it has a trace of its own. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* Lock(void* argument) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  int status = 0;
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    pthread_mutex_unlock(&mutex);
    pthread_create(&thread, NULL, Lock, NULL);
    pthread_join(thread, NULL);
    _exit(5);
  }
  CHECK(waitpid(child, &status, 0) == child);
  pthread_mutex_unlock(&mutex);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
