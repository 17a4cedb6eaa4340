// The same, one after the other.
// expect: none
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
void *first(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *second(void *arg) {
  pthread_mutex_lock(&b_lock);
  pthread_mutex_lock(&a_lock);
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}

pthread_t start(void *(*routine)(void *), void *arg) {
  pthread_t t;
  if (pthread_create(&t, 0, routine, arg) != 0) exit(1);
  return t;
}
int main() {
  pthread_t a = start(first, 0);
  pthread_join(a, 0);
  pthread_t b = start(second, 0);
  pthread_join(b, 0);
}
