// A try that is made a few times and then given up is no wait.
// proof: yes
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int wins;
static void both(pthread_mutex_t* held, pthread_mutex_t* wanted) {
  pthread_mutex_lock(held);
  if (pthread_mutex_trylock(wanted) == 0) {
    ++wins;
    pthread_mutex_unlock(wanted);
  }
  pthread_mutex_unlock(held);
}
static void* first(void* x) {
  both(&a, &b);
  return x;
}
static void* second(void* x) {
  both(&b, &a);
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
