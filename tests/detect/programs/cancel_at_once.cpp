// A thread that is cancelled before it has begun ends in its first wait; nobody has to notify it.
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int data;
static void Unlock(void*) {
  data = 1;
  pthread_mutex_unlock(&m);
}
static void* Work(void*) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(Unlock, nullptr);
  for (;;) pthread_cond_wait(&c, &m);
  pthread_cleanup_pop(1);
  return nullptr;
}
int main() {
  for (int i = 0; i < 20; ++i) {
    pthread_t t;
    pthread_create(&t, nullptr, Work, nullptr);
    pthread_cancel(t);
#ifdef BUG
    data = 2;
#endif
    void* how;
    pthread_join(t, &how);
    if (how != PTHREAD_CANCELED) abort();
  }
}
