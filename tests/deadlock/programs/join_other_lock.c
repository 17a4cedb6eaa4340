// A join under a lock that the thread does not need.
// expect: none
#include <pthread.h>
pthread_mutex_t m, n;
void *work(void *arg) {
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  return 0;
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  pthread_join(t, 0);
  pthread_mutex_unlock(&m);
}
