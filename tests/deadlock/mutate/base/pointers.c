// Routines from a table, locks through pointers in memory, a branch on an argument.
#include <pthread.h>
pthread_mutex_t a, b, c;
pthread_mutex_t *first = &a, *second = &b;
int x;
void low(void) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  x++;
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
void high(void) {
  pthread_mutex_lock(second);
  pthread_mutex_lock(&c);
  x--;
  pthread_mutex_unlock(&c);
  pthread_mutex_unlock(second);
}
void (*table[2])(void) = {low, high};
void *work(void *arg) {
  long n = (long)arg;
  table[n]();
  if (n) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&c);
    x = 2;
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&a);
  }
  return 0;
}
int main() {
  pthread_t p, q;
  pthread_create(&p, 0, work, (void *)0);
  pthread_create(&q, 0, work, (void *)1);
  pthread_join(p, 0);
  pthread_join(q, 0);
}
