// One way out forgets the lock.
// expect: leak A B
#include <pthread.h>
pthread_mutex_t m;
int x;
void *work(void *arg) {
  pthread_mutex_lock(&m);  //@ A
  if (arg) return 0;
  x++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, work, &x);
  pthread_mutex_lock(&m);  //@ B
  x++;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
