/* Signals from another thread, at any moment, while the runtime is busy recording. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>

#include "check.h"

static atomic_int handled;
static atomic_int stop;
static sem_t done;
static long cells[8];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void Handler(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
  sem_post(&done);
}

static void* Work(void* argument) {
  for (int turn = 0; !atomic_load(&stop); ++turn) {
    if (turn % 64 == 0) pthread_mutex_lock(&mutex);
    /* Most are repeats, so that a slow machine does not make the trace long. */
    for (int i = 0; i < 8000; ++i) cells[i % 8] += turn;
    if (turn % 64 == 0) pthread_mutex_unlock(&mutex);
  }
  return argument;
}

int main(void) {
  pthread_t thread;
  sem_init(&done, 0, 0);
  signal(SIGUSR1, Handler);
  pthread_create(&thread, NULL, Work, NULL);
  for (int i = 0; i < 20; ++i) {
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    sem_wait(&done);
  }
  atomic_store(&stop, 1);
  pthread_join(thread, NULL);
  printf("%d\n", atomic_load(&handled));
  return 0;
}
