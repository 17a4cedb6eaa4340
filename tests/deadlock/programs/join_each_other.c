// Two threads join each other.
// expect: cycle A-B C-D
#include <pthread.h>
pthread_t a, b;
pthread_mutex_t start;
void *one(void *arg) {
  pthread_mutex_lock(&start);  //@ A
  pthread_mutex_unlock(&start);
  pthread_join(b, 0);  //@ B
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&start);  //@ C
  pthread_mutex_unlock(&start);
  pthread_join(a, 0);  //@ D
  return 0;
}
int main() {
  pthread_mutex_lock(&start);
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_mutex_unlock(&start);
  pthread_exit(0);
}
