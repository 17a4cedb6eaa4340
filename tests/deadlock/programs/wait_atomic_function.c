// The loop's condition is a function that reads an atomic variable.
// proof: no
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int done;
__attribute__((noinline)) static int is_done(void) { return done; }
static void* first(void* x) {
  pthread_mutex_lock(&lock);
  while (!is_done()) sched_yield();
  pthread_mutex_unlock(&lock);
  return x;
}
static void* second(void* x) {
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_mutex_unlock(&lock);
  return x;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
// expect: none
