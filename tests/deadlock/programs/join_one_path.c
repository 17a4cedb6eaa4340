// Joined on one path only.
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
void *second(void *arg) {
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  if (x) pthread_join(a, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(b, 0);
  return 0;
}
