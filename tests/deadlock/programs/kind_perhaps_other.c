// The initialisation as recursive may or may not be of this mutex, which is a normal one.
// expect: self A-B
#include <pthread.h>
pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, other;
int x;
int main(int argc, char **argv) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t *some = argc > 100 ? &plain : &other;
  pthread_mutex_init(some, &attr);
  pthread_mutex_lock(&plain);  //@ A
  pthread_mutex_lock(&plain);  //@ B
  x++;
  pthread_mutex_unlock(&plain);
  pthread_mutex_unlock(&plain);
}
