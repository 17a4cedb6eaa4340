// Locks that come through variable arguments.
// expect: cycle A-B C-D
#include <pthread.h>
#include <stdarg.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void with_last(int count, ...) {
  va_list list;
  va_start(list, count);
  pthread_mutex_t *last = 0;
  for (int i = 0; i < count; i++) last = va_arg(list, pthread_mutex_t *);
  va_end(list);
  pthread_mutex_lock(last);  //@ B
  x++;
  pthread_mutex_unlock(last);
}
void *one(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  with_last(1, &b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
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
}
