// The creator waits for a condition, which releases the lock under which the thread was to live.
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int shared;
static int ready;
static void* other(void* x) {
  pthread_mutex_lock(&lock);
  shared++;  //@ A
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return x;
}
static void* child(void* x) {
  shared++;  //@ B
  return x;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, other, 0);
  pthread_mutex_lock(&lock);
  pthread_create(&two, 0, child, 0);
#ifdef FIXED
  pthread_join(two, 0);
#endif
  while (!ready) pthread_cond_wait(&changed, &lock);
#ifndef FIXED
  pthread_join(two, 0);
#endif
  pthread_mutex_unlock(&lock);
  pthread_join(one, 0);
  return 0;
}
// expect: shared A-B
