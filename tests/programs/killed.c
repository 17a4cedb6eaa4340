/* SIGKILL: nothing of the program runs any more, and everything before is in the trace. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  for (int i = 0; i < 20000; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_lock(&mutex);
  kill(getpid(), SIGKILL);
  for (;;) {
  }
}
