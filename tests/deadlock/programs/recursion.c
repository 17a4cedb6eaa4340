// A recursive function that locks and unlocks at every level, in one order.
// expect: none
#include <pthread.h>
pthread_mutex_t m, n;
int x;
void walk(int depth) {
  if (depth == 0) return;
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&n);
  x += depth;
  pthread_mutex_unlock(&n);
  pthread_mutex_unlock(&m);
  walk(depth - 1);
  x ^= depth;
}
void *work(void *arg) {
  walk(5);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
