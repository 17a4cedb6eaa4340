// One function, called with its arguments in both orders.
// expect: cycle A-B A-B
#include <pthread.h>
struct account { pthread_mutex_t lock; long sum; } p, q;
void transfer(struct account *from, struct account *to, long n) {
  pthread_mutex_lock(&from->lock);  //@ A
  pthread_mutex_lock(&to->lock);    //@ B
  from->sum -= n;
  to->sum += n;
  for (int i = 0; i < n; i++) from->sum ^= i;
  for (int i = 0; i < n; i++) to->sum ^= i;
  pthread_mutex_unlock(&to->lock);
  pthread_mutex_unlock(&from->lock);
}
void *one(void *arg) {
  transfer(&p, &q, 1);
  return 0;
}
void *two(void *arg) {
  transfer(&q, &p, 1);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
