// The number of threads is in memory, and errors end the process: nobody writes the number after the threads are made.
// expect: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pool {
  char name[16];
  unsigned threads;
  unsigned done;
};
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
void *first(void *arg) {
  struct pool *pool = arg;
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pool->done++;
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void run(struct pool *pool) {
  pthread_t *t = malloc(pool->threads * sizeof *t);
  int error;
  if (t == NULL) exit(1);
  for (unsigned i = 0; i < pool->threads; i++) {
    error = pthread_create(&t[i], 0, first, pool);
    if (error != 0) {
      fprintf(stderr, "cannot create: %s\n", strerror(error));
      exit(1);
    }
  }
  for (unsigned i = 0; i < pool->threads; i++) {
    error = pthread_join(t[i], 0);
    if (error != 0) {
      fprintf(stderr, "cannot join: %s\n", strerror(error));
      exit(1);
    }
  }
  free(t);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_lock(&a_lock);
  pool->done = 0;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
}
int main(int argc, char **argv) {
  static struct pool pool;
  pool.threads = (unsigned)argc;
  run(&pool);
  return 0;
}
