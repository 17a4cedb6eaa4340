// A cancelled thread that is joined is over.
// expect: none
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
void *first(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
int main() {
  pthread_t a;
  pthread_create(&a, 0, first, 0);
  pthread_cancel(a);
  pthread_join(a, 0);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_lock(&a_lock);
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
