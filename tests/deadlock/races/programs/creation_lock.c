// A thread lives under a lock that its creator holds: as long as the creator does not release it before the join.
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;
static void* other(void* x) {
  pthread_mutex_lock(&lock);
  shared++;  //@ A
  pthread_mutex_unlock(&lock);
  return x;
}
static void* inner(void* x) {
  shared++;  //@ B
  return x;
}
static void* middle(void* x) {
  pthread_t deep;
  pthread_create(&deep, 0, inner, 0);
  pthread_join(deep, 0);
  return x;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, other, 0);
  pthread_mutex_lock(&lock);
  pthread_create(&two, 0, middle, 0);
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  pthread_join(two, 0);
  pthread_mutex_unlock(&lock);
  pthread_join(one, 0);
  return 0;
}
// expect: shared A-B
