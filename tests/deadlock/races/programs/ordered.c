// Before the thread is created, while it runs, after it was joined.
#include <pthread.h>
int config, result;
void *work(void *arg) {
  result = config * 2;  //@ A
  return arg;
}
int main(void) {
  pthread_t t;
  config = 5;
  pthread_create(&t, 0, work, 0);
#ifdef FIXED
  pthread_join(t, 0);
  config = 6;
#else
  config = 6;  //@ B
  pthread_join(t, 0);
#endif
  return result + config;
}
// expect: config A-B
