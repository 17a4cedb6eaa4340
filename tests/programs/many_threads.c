/* Two hundred threads alive at once. */
#include <pthread.h>

#include "check.h"

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* Work(void* argument) {
  pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  ++count;
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t threads[200];
  pthread_barrier_init(&barrier, NULL, 201);
  for (int i = 0; i < 200; ++i) CHECK(pthread_create(&threads[i], NULL, Work, NULL) == 0);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 200; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  printf("%d\n", count);
  return 0;
}
