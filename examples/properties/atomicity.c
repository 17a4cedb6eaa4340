/* x is atomic, so there is no data race; but an increment in two steps loses what comes between them. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void increment(void) {
  int copy = x;
  copy++;
  x = copy;
}

static void* worker(void* unused) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
  increment();
  pthread_mutex_unlock(&lock);
#else
  (void)lock;
  increment();
#endif
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  worker(0);
  pthread_join(thread, 0);
  return 0;
}
