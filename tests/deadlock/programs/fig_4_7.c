// Lock Correctness, figure 4.7: a common lock for m2 and m3, a join for m4 and m5.
// expect: none
#include <pthread.h>
pthread_mutex_t m1, m2, m3, m4, m5;
int x;
void func1() { x = 0; }
void *thread(void *arg) {
  pthread_mutex_lock(&m1);
  pthread_mutex_lock(&m2);
  pthread_mutex_lock(&m3);
  x = 1;
  pthread_mutex_unlock(&m3);
  pthread_mutex_unlock(&m2);
  pthread_mutex_unlock(&m1);
  pthread_mutex_lock(&m4);
  pthread_mutex_lock(&m5);
  x = 2;
  pthread_mutex_unlock(&m5);
  pthread_mutex_unlock(&m4);
  return 0;
}
int func2(int a) {
  pthread_mutex_lock(&m5);
  pthread_mutex_lock(&m4);
  if (a)
    x = 3;
  else
    x = 4;
  pthread_mutex_unlock(&m4);
  pthread_mutex_unlock(&m5);
  return 0;
}
int main() {
  pthread_t tid;
  pthread_create(&tid, 0, thread, 0);
  pthread_mutex_lock(&m1);
  pthread_mutex_lock(&m3);
  pthread_mutex_lock(&m2);
  func1();
  pthread_mutex_unlock(&m2);
  pthread_mutex_unlock(&m3);
  pthread_mutex_unlock(&m1);
  pthread_join(tid, 0);
  int r;
  r = func2(5);
  return 0;
}
