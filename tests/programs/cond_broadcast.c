/* A broadcast wakes three waiters. */
#include <pthread.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here;
static pthread_cond_t go;
static int here;
static int open_now;

static void* Waiter(void* argument) {
  (void)argument;
  pthread_mutex_lock(&mutex);
  if (++here == 3) pthread_cond_signal(&all_here);
  while (!open_now) pthread_cond_wait(&go, &mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  CHECK(pthread_cond_init(&all_here, NULL) == 0);
  CHECK(pthread_cond_init(&go, NULL) == 0);
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Waiter, NULL);
  while (here < 3) pthread_cond_wait(&all_here, &mutex);
  open_now = 1;
  CHECK(pthread_cond_broadcast(&go) == 0);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  puts("all woken");
  return 0;
}
