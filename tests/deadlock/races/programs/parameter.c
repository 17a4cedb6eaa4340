// The lock and what it protects come as parameters; one caller takes the wrong lock.
#include <pthread.h>
pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
int total, other;
void add(pthread_mutex_t *lock, int *to) {
  pthread_mutex_lock(lock);
  *to += 1;  //@ A
  pthread_mutex_unlock(lock);
}
void *one(void *arg) {
  add(&first, &total);
  add(&second, &other);
  return arg;
}
void *two(void *arg) {
#ifdef FIXED
  add(&first, &total);
#else
  add(&second, &total);
#endif
  add(&second, &other);
  return arg;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return total + other;
}
// expect: total A-A
