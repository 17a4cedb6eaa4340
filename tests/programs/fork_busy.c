/* fork while other threads lock, allocate, start and end; handlers of pthread_atfork take a busy lock. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static volatile long cells[1 << 8];

static void Lock(void) { pthread_mutex_lock(&mutex); }
static void Unlock(void) { pthread_mutex_unlock(&mutex); }

static void* Nothing(void* argument) { return argument; }

static void* Busy(void* argument) {
  /* Busy for long enough; a slow machine does not make the trace long. */
  for (int n = 0; n < 3000 && !atomic_load_explicit(&stop, memory_order_relaxed); ++n) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 1 << 8; ++i) cells[i]++;
    pthread_mutex_unlock(&mutex);
    free(malloc(100));
  }
  return argument;
}

static void* Starter(void* argument) {
  for (int n = 0; n < 1000 && !atomic_load_explicit(&stop, memory_order_relaxed); ++n) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, Nothing, NULL) == 0);
    pthread_join(thread, NULL);
  }
  return argument;
}

int main(void) {
  pthread_t threads[2];
  CHECK(pthread_atfork(Lock, Unlock, Unlock) == 0);
  pthread_create(&threads[0], NULL, Busy, NULL);
  pthread_create(&threads[1], NULL, Starter, NULL);
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      pthread_t thread;
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
      if (pthread_create(&thread, NULL, Nothing, NULL) != 0) _exit(98);
      pthread_join(thread, NULL);
      _exit(3);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    sum += WEXITSTATUS(status);
  }
  atomic_store(&stop, 1);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  printf("%d\n", sum);
  return 0;
}
