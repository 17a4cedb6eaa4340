// Opposite orders that never meet: the second thread waits until the first has given both locks back. The static analysis
// does not follow the flag.
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t first_is_through = PTHREAD_COND_INITIALIZER;
int through, total;
void *first(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  total++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&m);
  through = 1;
  pthread_cond_signal(&first_is_through);
  pthread_mutex_unlock(&m);
  return arg;
}
void *second(void *arg) {
  pthread_mutex_lock(&m);
  while (!through) pthread_cond_wait(&first_is_through, &m);
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  total++;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return arg;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
