// Lock Correctness, figure 4.3a: a thread ends with a lock held.
// expect: leak B A
#include <pthread.h>
pthread_mutex_t m;
void *thread1(void *arg) {
  pthread_mutex_lock(&m);  //@ A
  pthread_mutex_unlock(&m);
  return 0;
}
void *thread2(void *arg) {
  pthread_mutex_lock(&m);  //@ B
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, thread1, 0);
  pthread_create(&b, 0, thread2, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
