// A cycle of four, two of whose threads hold a common lock.
// expect: none
#include <pthread.h>
pthread_mutex_t g, p, q, r, s;
void *t0(void *arg) {
  pthread_mutex_lock(&g);
  pthread_mutex_lock(&p);
  pthread_mutex_lock(&q);
  pthread_mutex_unlock(&q);
  pthread_mutex_unlock(&p);
  pthread_mutex_unlock(&g);
  return 0;
}
void *t1(void *arg) {

  pthread_mutex_lock(&q);
  pthread_mutex_lock(&r);
  pthread_mutex_unlock(&r);
  pthread_mutex_unlock(&q);

  return 0;
}
void *t2(void *arg) {
  pthread_mutex_lock(&g);
  pthread_mutex_lock(&r);
  pthread_mutex_lock(&s);
  pthread_mutex_unlock(&s);
  pthread_mutex_unlock(&r);
  pthread_mutex_unlock(&g);
  return 0;
}
void *t3(void *arg) {

  pthread_mutex_lock(&s);
  pthread_mutex_lock(&p);
  pthread_mutex_unlock(&p);
  pthread_mutex_unlock(&s);

  return 0;
}
int main() {
  pthread_t a, b, c, d;
  pthread_create(&a, 0, t0, 0);
  pthread_create(&b, 0, t1, 0);
  pthread_create(&c, 0, t2, 0);
  pthread_create(&d, 0, t3, 0);
  pthread_exit(0);
}
