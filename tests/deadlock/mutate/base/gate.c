// Opposite orders under a gate.
#include <pthread.h>
pthread_mutex_t g, a, b;
int x;
void *first(void *arg) {
  pthread_mutex_lock(&g);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&g);
  return 0;
}
void *second(void *arg) {
  pthread_mutex_lock(&g);
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  x--;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&g);
  return 0;
}
int main() {
  pthread_t p, q;
  pthread_create(&p, 0, first, 0);
  pthread_create(&q, 0, second, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
}
