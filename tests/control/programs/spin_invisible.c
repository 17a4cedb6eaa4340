/* A thread that spins without any visible operation: others must go on all the same. */
#include <pthread.h>
#include <stdio.h>

static volatile int stop;

static void* Spin(void* argument) {
  while (!stop) {
  }
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_create(&thread, NULL, Spin, NULL);
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  stop = 1;
  pthread_join(thread, NULL);
  puts("over");
  return 0;
}
