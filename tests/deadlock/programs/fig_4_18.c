// Lock Correctness, figure 4.18, with locks for its assignments: thread2 has ended when thread3 starts.
// expect: none
#include <pthread.h>
pthread_mutex_t a, b;
int x;
void *thread2(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x = 1;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}
void *thread1(void *arg) {
  pthread_t tid2;
  pthread_create(&tid2, 0, thread2, 0);
  pthread_join(tid2, 0);
  return 0;
}
void *thread3(void *arg) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  x = 2;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}
int main() {
  pthread_t tid1, tid3;
  pthread_create(&tid1, 0, thread1, 0);
  pthread_join(tid1, 0);
  pthread_create(&tid3, 0, thread3, 0);
  return 0;
}
