// Locks are taken through functions.
// expect: cycle A-B C-D
#include <pthread.h>
#include <stdio.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void my_lock(pthread_mutex_t *m) {
  if (pthread_mutex_lock(m) != 0) perror("lock");
}
void my_unlock(pthread_mutex_t *m) { pthread_mutex_unlock(m); }
void *one(void *arg) {
  my_lock(&a_lock);  //@ A
  my_lock(&b_lock);  //@ B
  my_unlock(&b_lock);
  my_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  my_lock(&b_lock);  //@ C
  my_lock(&a_lock);  //@ D
  my_unlock(&a_lock);
  my_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
