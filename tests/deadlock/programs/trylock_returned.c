// The result is returned by a function and tested by its caller.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
int try_b(void) { return pthread_mutex_trylock(&b_lock) == 0; }  //@ C
void *one(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  if (!try_b()) return 0;
  pthread_mutex_lock(&a_lock);  //@ D
  x++;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
