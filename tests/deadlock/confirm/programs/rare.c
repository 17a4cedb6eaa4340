// Hundreds of operations before the cycle, on different sides: a run by chance does not come there at the same time.
#include <pthread.h>
pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int total;
void warm_up(int which, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&own[which]);
    pthread_mutex_unlock(&own[which]);
  }
}
void *early(void *arg) {
  warm_up(0, 5);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  total++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return arg;
}
void *late(void *arg) {
  warm_up(1, 300);
#ifdef FIXED
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
#else
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
#endif
  total++;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return arg;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, early, 0);
  pthread_create(&two, 0, late, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
