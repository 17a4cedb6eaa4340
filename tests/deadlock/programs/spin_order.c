// Spinlocks in opposite orders.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_spinlock_t a_lock, b_lock;
void *one(void *arg) {
  pthread_spin_lock(&a_lock);  //@ A
  pthread_spin_lock(&b_lock);  //@ B
  pthread_spin_unlock(&b_lock);
  pthread_spin_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  pthread_spin_lock(&b_lock);  //@ C
  pthread_spin_lock(&a_lock);  //@ D
  pthread_spin_unlock(&a_lock);
  pthread_spin_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_spin_init(&a_lock, 0);
  pthread_spin_init(&b_lock, 0);
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
