/* The same work for any number of threads, all alive at once: each goes over memory of its own and takes one shared lock
 * every 64 steps. usage: threads THREADS STEPS (of all together) */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWords = 512, kMaxThreads = 1024 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_alive;
static unsigned long shared_sum;
static long steps_of_each;

static void* Work(void* argument) {
  unsigned* words = calloc(kWords, sizeof *words);
  unsigned seed = (unsigned)(size_t)argument + 1;
  pthread_barrier_wait(&all_alive);
  for (long step = 0; step < steps_of_each; ++step) {
    seed = seed * 1664525u + 1013904223u;
    unsigned* word = &words[seed >> 23];
    *word += seed;
    if (step % 64 != 0) continue;
    pthread_mutex_lock(&mutex);
    shared_sum += *word;
    pthread_mutex_unlock(&mutex);
  }
  free(words);
  return NULL;
}

int main(int argc, char** argv) {
  long threads = argc > 1 ? atol(argv[1]) : 8;
  long steps = argc > 2 ? atol(argv[2]) : 4000000;
  if (threads < 1 || threads > kMaxThreads) return 2;
  steps_of_each = steps / threads;
  pthread_barrier_init(&all_alive, NULL, (unsigned)threads);
  static pthread_t ids[kMaxThreads];
  for (long i = 0; i < threads; ++i) {
    if (pthread_create(&ids[i], NULL, Work, (void*)i) != 0) return 3;
  }
  for (long i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  printf("%lu\n", shared_sum);
  return 0;
}
