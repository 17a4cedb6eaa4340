// Two objects from an allocator of the program: each call of it makes another one.
// expect: none
#include <pthread.h>
#include <stdlib.h>
struct job { int id; pthread_mutex_t lock; };
void *checked(size_t n) {
  void *p = malloc(n);
  if (!p) abort();
  return p;
}
struct job *x, *y;
void *work(void *arg) {
  pthread_mutex_lock(&x->lock);
  pthread_mutex_lock(&y->lock);
  x->id++;
  pthread_mutex_unlock(&y->lock);
  pthread_mutex_unlock(&x->lock);
  return 0;
}
int main() {
  x = checked(sizeof *x);
  y = checked(sizeof *y);
  pthread_mutex_init(&x->lock, 0);
  pthread_mutex_init(&y->lock, 0);
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
