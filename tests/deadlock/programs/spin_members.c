// Two spinlocks, four bytes apart, in one structure.
// expect: none
#include <pthread.h>
struct pair { pthread_spinlock_t first, second; } g;
int x;
void *work(void *arg) {
  pthread_spin_lock(&g.first);
  pthread_spin_lock(&g.second);
  x++;
  pthread_spin_unlock(&g.second);
  pthread_spin_unlock(&g.first);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
