/* One thread waits for another's signal; the trace says which signal woke it. */
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t waiting;
static int ready;

static void* Waiter(void* argument) {
  (void)argument;
  pthread_mutex_lock(&mutex);
  sem_post(&waiting);
  while (!ready) CHECK(pthread_cond_wait(&cond, &mutex) == 0);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t thread;
  sem_init(&waiting, 0, 0);
  CHECK(pthread_cond_signal(&cond) == 0); /* nobody waits: lost */
  pthread_create(&thread, NULL, Waiter, NULL);
  sem_wait(&waiting);
  pthread_mutex_lock(&mutex); /* free only once the other thread waits */
  ready = 1;
  CHECK(pthread_cond_signal(&cond) == 0);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  CHECK(pthread_cond_destroy(&cond) == 0);
  puts("woken");
  return 0;
}
