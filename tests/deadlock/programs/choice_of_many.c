// Two locks of a large table, in an order that depends on something else.
// expect: class A-B
#include <pthread.h>
pthread_mutex_t m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13;
pthread_mutex_t *all[] = {&m0, &m1, &m2, &m3, &m4, &m5, &m6, &m7, &m8, &m9, &m10, &m11, &m12, &m13};
int x, pick;
__attribute__((noinline)) pthread_mutex_t *get(int n) { return all[(pick + n) % 14]; }
void *one(void *arg) {
  pthread_mutex_t *a = get(1), *b = get(2);
  int up = x > 5;
  pthread_mutex_t *first = up ? a : b, *second = up ? b : a;
  pthread_mutex_lock(first);  //@ A
  pthread_mutex_lock(second);  //@ B
  x++;
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, one, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
