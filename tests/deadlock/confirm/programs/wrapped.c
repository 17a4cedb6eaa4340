// Every lock is taken in one function, which counts: the line of the operation says nothing, only its callers do.
#include <pthread.h>
struct lock {
  pthread_mutex_t mutex;
  long taken;
};
struct lock a = {PTHREAD_MUTEX_INITIALIZER, 0}, b = {PTHREAD_MUTEX_INITIALIZER, 0}, c = {PTHREAD_MUTEX_INITIALIZER, 0};
void take(struct lock *lock) {
  pthread_mutex_lock(&lock->mutex);
  lock->taken++;
}
void give(struct lock *lock) {
  lock->taken += 2;
  pthread_mutex_unlock(&lock->mutex);
}
void *one(void *arg) {
  for (int i = 0; i < 20; ++i) {
    take(&a);
    take(&c);
    give(&c);
    give(&a);
  }
  take(&a);
  take(&b);
  give(&b);
  give(&a);
  return arg;
}
void *two(void *arg) {
#ifdef FIXED
  take(&a);
  take(&b);
#else
  take(&b);
  take(&a);
#endif
  give(&a);
  give(&b);
  return arg;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, one, 0);
  pthread_create(&t[1], 0, two, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
