// A global counter, with a lock in one thread only.
// fixed: the lock is held by both.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int counter;
void *one(void *arg) {
  pthread_mutex_lock(&m);
  counter++;  //@ A
  pthread_mutex_unlock(&m);
  return arg;
}
void *two(void *arg) {
#ifdef FIXED
  pthread_mutex_lock(&m);
#endif
  counter--;  //@ B
#ifdef FIXED
  pthread_mutex_unlock(&m);
#endif
  return arg;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return counter;
}
// expect: counter A-B
