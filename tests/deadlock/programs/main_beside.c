// main takes the locks the other way round while the thread runs.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void *first(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
int main() {
  pthread_t a;
  pthread_create(&a, 0, first, 0);
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_join(a, 0);
  return 0;
}
