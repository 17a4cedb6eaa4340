// Lock Correctness, figure 4.1: two threads take two locks in opposite orders and never give them back.
// expect: cycle A-B C-D
// expect: leak A D
// expect: leak B C
// expect: leak D A
// expect: leak C B
#include <pthread.h>
pthread_mutex_t m1, m2;
int x, y;
void *thread1(void *arg) {
  pthread_mutex_lock(&m1);  //@ A
  x = 1;
  pthread_mutex_lock(&m2);  //@ B
  return 0;
}
void *thread2(void *arg) {
  pthread_mutex_lock(&m2);  //@ C
  y = 2;
  pthread_mutex_lock(&m1);  //@ D
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, thread1, 0);
  pthread_create(&b, 0, thread2, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
