// main takes the locks the other way round before it starts the thread.
// expect: none
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void *first(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
int main() {
  pthread_mutex_lock(&b_lock);
  pthread_mutex_lock(&a_lock);
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_t a;
  pthread_create(&a, 0, first, 0);
  pthread_join(a, 0);
  return 0;
}
