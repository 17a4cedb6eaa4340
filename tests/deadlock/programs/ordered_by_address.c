// Two of many, the smaller address first.
// expect: none
#include <pthread.h>
#include <stdlib.h>
struct account { pthread_mutex_t lock; long sum; } *all;
void transfer(struct account *from, struct account *to, long n) {
  struct account *first = from < to ? from : to, *second = from < to ? to : from;
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->sum -= n;
  to->sum += n;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}
void *work(void *arg) {
  long n = (long)arg;
  transfer(&all[n], &all[(n + 1) % 4], 1);
  return 0;
}
int main() {
  all = calloc(4, sizeof *all);
  pthread_t t[4];
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i);
  for (long i = 0; i < 4; i++) pthread_join(t[i], 0);
}
