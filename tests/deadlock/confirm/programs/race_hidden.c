// The writer is done long before the reader looks, and both use the lock in between: in runs by chance the lock orders
// the two accesses, so a detector that compares the order of events has nothing to say.
#include <pthread.h>
pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
int limit, loads, seen;
void *load(void *arg) {
#ifdef FIXED
  pthread_mutex_lock(&m);
  limit = 100;
  pthread_mutex_unlock(&m);
#else
  limit = 100;
#endif
  pthread_mutex_lock(&m);
  loads++;
  pthread_mutex_unlock(&m);
  return arg;
}
void *serve(void *arg) {
  for (int i = 0; i < 400; ++i) {
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
  }
  pthread_mutex_lock(&m);
  seen = limit;
  pthread_mutex_unlock(&m);
  return arg;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, load, 0);
  pthread_create(&two, 0, serve, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
