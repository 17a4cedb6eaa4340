// Two objects on the heap, a function that locks both of its arguments, and one with a lock inside.
#include <pthread.h>
#include <stdlib.h>
struct account { pthread_mutex_t lock; long sum; };
struct account *p, *q;
void move(struct account *from, struct account *to) {
  pthread_mutex_lock(&from->lock);
  pthread_mutex_lock(&to->lock);
  from->sum--;
  to->sum++;
  pthread_mutex_unlock(&to->lock);
  pthread_mutex_unlock(&from->lock);
}
long look(struct account *a) {
  pthread_mutex_lock(&a->lock);
  long n = a->sum;
  pthread_mutex_unlock(&a->lock);
  return n;
}
void *one(void *arg) {
  move(p, q);
  look(q);
  return 0;
}
void *two(void *arg) {
  look(p);
  move(p, q);
  return 0;
}
int main() {
  p = calloc(1, sizeof *p);
  q = calloc(1, sizeof *q);
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  look(p);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
