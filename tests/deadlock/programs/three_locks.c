// A cycle of three.
// expect: cycle A-B C-D E-F
#include <pthread.h>
pthread_mutex_t p, q, r;
void *t0(void *arg) {
  pthread_mutex_lock(&p);  //@ A
  pthread_mutex_lock(&q);  //@ B
  pthread_mutex_unlock(&q);
  pthread_mutex_unlock(&p);
  return 0;
}
void *t1(void *arg) {
  pthread_mutex_lock(&q);  //@ C
  pthread_mutex_lock(&r);  //@ D
  pthread_mutex_unlock(&r);
  pthread_mutex_unlock(&q);
  return 0;
}
void *t2(void *arg) {
  pthread_mutex_lock(&r);  //@ E
  pthread_mutex_lock(&p);  //@ F
  pthread_mutex_unlock(&p);
  pthread_mutex_unlock(&r);
  return 0;
}
int main() {
  pthread_t a, b, c;
  pthread_create(&a, 0, t0, 0);
  pthread_create(&b, 0, t1, 0);
  pthread_create(&c, 0, t2, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
}
