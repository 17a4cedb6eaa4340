/* The process ends while locks are held, one of them by a thread that waits forever. */
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked;

static void* Hold(void* argument) {
  pthread_mutex_lock(&other);
  sem_post(&locked);
  pthread_mutex_lock(&mine);
  return argument;
}

int main(void) {
  pthread_t thread;
  sem_init(&locked, 0, 0);
  pthread_mutex_lock(&mine);
  pthread_create(&thread, NULL, Hold, NULL);
  sem_wait(&locked);
  puts("both held");
  return 3;
}
