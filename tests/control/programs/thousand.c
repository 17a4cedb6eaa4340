/* A thousand threads alive at one time. */
#include <pthread.h>
#include <stdio.h>

#define COUNT 1000
static pthread_barrier_t all;
static int sum;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* Work(void* argument) {
  pthread_barrier_wait(&all);
  pthread_mutex_lock(&mutex);
  ++sum;
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  static pthread_t threads[COUNT];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 16);
  pthread_barrier_init(&all, NULL, COUNT);
  for (int i = 0; i < COUNT; ++i) pthread_create(&threads[i], &attributes, Work, NULL);
  for (int i = 0; i < COUNT; ++i) pthread_join(threads[i], NULL);
  printf("%d\n", sum);
  return 0;
}
