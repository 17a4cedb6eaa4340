// Writers in opposite orders.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_rwlock_t a_lock = PTHREAD_RWLOCK_INITIALIZER, b_lock = PTHREAD_RWLOCK_INITIALIZER;
void *one(void *arg) {
  pthread_rwlock_wrlock(&a_lock);  //@ A
  pthread_rwlock_wrlock(&b_lock);  //@ B
  pthread_rwlock_unlock(&b_lock);
  pthread_rwlock_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  pthread_rwlock_wrlock(&b_lock);  //@ C
  pthread_rwlock_wrlock(&a_lock);  //@ D
  pthread_rwlock_unlock(&a_lock);
  pthread_rwlock_unlock(&b_lock);
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
