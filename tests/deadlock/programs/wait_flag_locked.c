// A thread waits, under a lock, for a flag that the other one sets under the same lock.
// proof: no
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, flag_lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static int is_done(void) {
  pthread_mutex_lock(&flag_lock);
  int now = done;
  pthread_mutex_unlock(&flag_lock);
  return now;
}
static void* first(void* x) {
  pthread_mutex_lock(&outer);
  while (!is_done()) sched_yield();
  pthread_mutex_unlock(&outer);
  return x;
}
static void* second(void* x) {
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&flag_lock);
  done = 1;
  pthread_mutex_unlock(&flag_lock);
  pthread_mutex_unlock(&outer);
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
