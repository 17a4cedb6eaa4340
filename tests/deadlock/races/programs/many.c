// One thread function, many threads: it races with itself.
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
long sum;
void *work(void *arg) {
#ifdef FIXED
  pthread_mutex_lock(&m);
#endif
  sum += (long)arg;  //@ A
#ifdef FIXED
  pthread_mutex_unlock(&m);
#endif
  return 0;
}
int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; ++i) pthread_create(&t[i], 0, work, (void *)i);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], 0);
  return (int)sum;
}
// expect: sum A-A
