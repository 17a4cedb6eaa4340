// Spinlocks, a thread that creates and joins another, and a lock that is given back before a join.
#include <pthread.h>
pthread_spinlock_t s, t;
pthread_mutex_t m;
int x;
void *inner(void *arg) {
  pthread_spin_lock(&s);
  pthread_spin_lock(&t);
  x++;
  pthread_spin_unlock(&t);
  pthread_spin_unlock(&s);
  return 0;
}
void *outer(void *arg) {
  pthread_t i;
  pthread_create(&i, 0, inner, 0);
  pthread_mutex_lock(&m);
  pthread_spin_lock(&s);
  x--;
  pthread_spin_unlock(&s);
  pthread_mutex_unlock(&m);
  pthread_join(i, 0);
  return 0;
}
int main() {
  pthread_t o;
  pthread_create(&o, 0, outer, 0);
  pthread_mutex_lock(&m);
  pthread_spin_lock(&t);
  x = 7;
  pthread_spin_unlock(&t);
  pthread_mutex_unlock(&m);
  pthread_join(o, 0);
  pthread_spin_lock(&t);
  pthread_spin_lock(&s);
  x = 8;
  pthread_spin_unlock(&s);
  pthread_spin_unlock(&t);
}
