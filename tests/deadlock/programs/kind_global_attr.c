// An attribute that one function prepares and others use.
// expect: none
#include <pthread.h>
static pthread_mutexattr_t attr;
pthread_mutex_t m;
int x;
void prepare() {
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
}
void make() { pthread_mutex_init(&m, &attr); }
int main() {
  prepare();
  make();
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
}
