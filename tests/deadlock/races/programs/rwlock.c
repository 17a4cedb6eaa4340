// A write under the read lock.
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int table, hits;
void *look(void *arg) {
  pthread_rwlock_rdlock(&lock);
  int found = table;
#ifndef FIXED
  hits++;  //@ A
#endif
  pthread_rwlock_unlock(&lock);
  return found ? arg : 0;
}
void *change(void *arg) {
  pthread_rwlock_wrlock(&lock);
  table++;
  hits = 0;
  pthread_rwlock_unlock(&lock);
  return arg;
}
int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, look, 0);
  pthread_create(&t[1], 0, look, 0);
  pthread_create(&t[2], 0, change, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  pthread_join(t[2], 0);
  return hits;
}
// expect: hits A-A
