/* Plain mutex traffic: two threads take turns under one mutex. usage: pingpong ROUNDS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long turns[2], rounds;

static void* player(void* argument) {
  long me = (long)argument;
  for (long i = 0; i < rounds; i++) {
    pthread_mutex_lock(&mutex);
    turns[me]++;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atol(argv[1]) : 1000000;
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, player, (void*)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%ld %ld\n", turns[0], turns[1]);
  return 0;
}
