/* A race that timing hides.
 *
 * `load` sets the limit and forgets the lock; `serve` has some work to do before it looks at the limit, under the lock.
 * In practice `load` is always done long before, its own use of the lock orders the two, and a race detector that only
 * watches the order of this run has nothing to say. The day `serve` is quick, it reads a limit that is half set.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int limit;
static int loads;

static void* load(void* unused) {
  limit = 100;
  pthread_mutex_lock(&lock);
  loads++;
  pthread_mutex_unlock(&lock);
  return unused;
}

static unsigned warm_up(void) {
  unsigned hash = 2166136261u;
  for (unsigned i = 0; i < 20000000u; i++) hash = (hash ^ (i & 255u)) * 16777619u;
  return hash;
}

static void* serve(void* unused) {
  unsigned hash = warm_up();
  pthread_mutex_lock(&lock);
  printf("serving up to %d requests (%08x)\n", limit, hash);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t loader, server;
  pthread_create(&loader, NULL, load, NULL);
  pthread_create(&server, NULL, serve, NULL);
  pthread_join(loader, NULL);
  pthread_join(server, NULL);
  return 0;
}
