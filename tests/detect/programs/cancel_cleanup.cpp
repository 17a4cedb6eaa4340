// A cancelled thread unlocks in its clean-up handler; what it did is before the join.
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int data, waiting;
static void Unlock(void*) {
  data = 1;
  pthread_mutex_unlock(&m);
}
static void* Work(void*) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(Unlock, nullptr);
  waiting = 1;
  pthread_cond_signal(&c);
  for (;;) pthread_cond_wait(&c, &m);
  pthread_cleanup_pop(1);
  return nullptr;
}
int main() {
  pthread_t t;
  pthread_create(&t, nullptr, Work, nullptr);
  pthread_mutex_lock(&m);
  while (!waiting) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  pthread_cancel(t);
#ifdef BUG
  data = 2;
  pthread_join(t, nullptr);
#else
  pthread_mutex_lock(&m);
  data = 2;
  pthread_mutex_unlock(&m);
  void* how;
  pthread_join(t, &how);
  if (how != PTHREAD_CANCELED) abort();
#endif
}
