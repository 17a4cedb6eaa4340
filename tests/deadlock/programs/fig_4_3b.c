// Lock Correctness, figure 4.3b: a thread joins another while it holds what that one needs.
// expect: cycle A-B S-C
#include <pthread.h>
pthread_mutex_t m;
void *thread2(void *arg) {
  pthread_mutex_lock(&m);  //@ C //@ S
  pthread_mutex_unlock(&m);
  return 0;
}
void *thread1(void *arg) {
  pthread_t tid;
  pthread_create(&tid, 0, thread2, 0);
  pthread_mutex_lock(&m);  //@ A
  pthread_join(tid, 0);    //@ B
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t a;
  pthread_create(&a, 0, thread1, 0);
  pthread_join(a, 0);
}
