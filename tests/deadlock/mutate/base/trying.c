// trylock with a way back, and wrappers.
#include <pthread.h>
pthread_mutex_t a, b, c;
int x;
void enter(pthread_mutex_t *m) { pthread_mutex_lock(m); }
void leave(pthread_mutex_t *m) { pthread_mutex_unlock(m); }
void *one(void *arg) {
  enter(&a);
  enter(&b);
  x++;
  leave(&b);
  leave(&a);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b);
  if (pthread_mutex_trylock(&a) == 0) {
    pthread_mutex_lock(&c);
    x--;
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&a);
  }
  pthread_mutex_unlock(&b);
  return 0;
}
int main() {
  pthread_t p, q;
  pthread_create(&p, 0, one, 0);
  pthread_create(&q, 0, two, 0);
  enter(&c);
  x = 4;
  leave(&c);
  pthread_join(p, 0);
  pthread_join(q, 0);
}
