// A spinlock is not recursive.
// expect: self A-B
#include <pthread.h>
pthread_spinlock_t s;
int main() {
  pthread_spin_init(&s, 0);
  pthread_spin_lock(&s);  //@ A
  pthread_spin_lock(&s);  //@ B
  pthread_spin_unlock(&s);
}
