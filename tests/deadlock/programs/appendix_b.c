// Lock Correctness, appendix B: test.c.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_mutex_t m1, m2;
int x;
void *thread1(void *arg);
void *thread2(void *arg);
int main() {
  pthread_t tid1, tid2;
  pthread_create(&tid1, 0, thread1, 0);
  pthread_create(&tid2, 0, thread2, 0);
  pthread_join(tid1, 0);
  pthread_join(tid2, 0);
  return 0;
}
void *thread1(void *arg) {
  pthread_mutex_lock(&m1);  //@ A
  pthread_mutex_lock(&m2);  //@ B
  ++x;
  pthread_mutex_unlock(&m2);
  pthread_mutex_unlock(&m1);
  return 0;
}
void *thread2(void *arg) {
  pthread_mutex_lock(&m2);  //@ C
  pthread_mutex_lock(&m1);  //@ D
  ++x;
  pthread_mutex_unlock(&m1);
  pthread_mutex_unlock(&m2);
  return 0;
}
