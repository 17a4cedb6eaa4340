// The fixed twin of varargs_number.c: the lock that is passed as a number is taken without the other one.
// expect: none
// proof: yes
#include <pthread.h>
#include <stdarg.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static void take(int count, ...) {
  va_list list;
  va_start(list, count);
  pthread_mutex_t *lock = (pthread_mutex_t *)va_arg(list, unsigned long);
  va_end(list);
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
}
static void *one(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
static void *two(void *arg) {
  take(1, (unsigned long)&a_lock);
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
