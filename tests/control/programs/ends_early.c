// Two threads: one computes and then makes a call (argument "call") or takes a lock ("lock"), the other performs a few
// operations, computes and crashes. How long each computes comes from the environment, which a recording does not keep:
// so a replay can have the first come to its call or lock long before the crash, of which the recording knows nothing.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sem_t begun;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int locks;
unsigned sink;  // not static: the loop has to be there

static void Compute(const char* name) {
  const char* text = getenv(name);
  unsigned mixed = 1;
  for (long i = text == NULL ? 0 : atol(text); i > 0; --i) mixed = mixed * 1664525U + 1013904223U;
  sink = mixed;
}

static void* Other(void* value) {
  sem_post(&begun);
  Compute("OTHER");
  struct timespec now;
  if (locks) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  } else {
    clock_gettime(CLOCK_REALTIME, &now);
  }
  return value;
}

int main(int argc, char** argv) {
  locks = argc > 1 && strcmp(argv[1], "lock") == 0;
  sem_init(&begun, 0, 0);
  pthread_t other;
  pthread_create(&other, NULL, Other, NULL);
  sem_wait(&begun);
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  printf("now\n");
  fflush(stdout);
  Compute("FIRST");
  abort();
}
