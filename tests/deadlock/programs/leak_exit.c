// pthread_exit with a lock held.
// expect: leak A B
#include <pthread.h>
pthread_mutex_t m;
int x;
void check(void) {
  if (x > 3) pthread_exit(0);
}
void *work(void *arg) {
  pthread_mutex_lock(&m);  //@ A
  check();
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);  //@ B
  x++;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
