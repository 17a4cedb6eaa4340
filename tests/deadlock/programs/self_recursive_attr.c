// A recursive mutex may be taken twice.
// expect: none
#include <pthread.h>
pthread_mutex_t m;
int x;
void inner(void) {
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
}
int main() {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &attr);
  pthread_mutex_lock(&m);
  inner();
  pthread_mutex_unlock(&m);
}
