// The attribute that becomes recursive may or may not be the one that the mutex is made with.
// expect: self A-B
#include <pthread.h>
pthread_mutex_t m;
int x;
int main(int argc, char **argv) {
  pthread_mutexattr_t mine, other;
  pthread_mutexattr_init(&mine);
  pthread_mutexattr_init(&other);
  pthread_mutexattr_settype(argc > 100 ? &mine : &other, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &mine);
  pthread_mutex_lock(&m);  //@ A
  pthread_mutex_lock(&m);  //@ B
  x++;
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
}
