/* Deeper than the shadow stack of the runtime, with visible operations at the bottom and on the way back. */
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) long Dive(long depth) {
  volatile long here = depth;
  if (depth % 10000 == 0) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return depth == 0 ? 0 : Dive(depth - 1) + (here != 0);
}

int main(void) {
  printf("%ld\n", Dive(40000));
  printf("%ld\n", Dive(5));
  return 0;
}
