// One of two mutexes is recursive, the other is not.
// expect: self A-B
#include <pthread.h>
pthread_mutex_t m, n;
int main() {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &attr);
  pthread_mutex_init(&n, 0);
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&n);  //@ A
  pthread_mutex_lock(&n);  //@ B
}
