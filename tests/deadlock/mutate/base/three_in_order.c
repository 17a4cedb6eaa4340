// Three locks, always in one order, by three threads and main.
#include <pthread.h>
pthread_mutex_t a, b, c;
int x, y, z;
void *one(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&c);
  y++;
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&b);
  return 0;
}
void *three(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&c);
  z++;
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(&a);
  return 0;
}
int main() {
  pthread_t p, q, r;
  pthread_create(&p, 0, one, 0);
  pthread_create(&q, 0, two, 0);
  pthread_create(&r, 0, three, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  pthread_join(r, 0);
}
