// A comparison function that locks, called by the C library under another lock.
// expect: cycle A-B C-D
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int data[8];
int compare(const void *p, const void *q) {
  pthread_mutex_lock(&b_lock);  //@ B
  int r = *(const int *)p - *(const int *)q;
  pthread_mutex_unlock(&b_lock);
  return r;
}
void *one(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  qsort(data, 8, sizeof(int), compare);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  data[0]++;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
