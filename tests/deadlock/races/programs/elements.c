// Elements of one array: different ones, or the same.
#include <pthread.h>
int cells[4];
void *low(void *arg) {
  cells[0]++;
  cells[1] = 7;  //@ A
  return arg;
}
void *high(void *arg) {
#ifdef FIXED
  cells[2] = 8;
#else
  cells[1] = 8;  //@ B
#endif
  cells[3]++;
  return arg;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, low, 0);
  pthread_create(&b, 0, high, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return cells[0] + cells[1] + cells[2] + cells[3];
}
// expect: cells[1] A-B
