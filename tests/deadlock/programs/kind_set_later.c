// The attribute becomes recursive only after the first mutex was made with it.
// expect: self A-B
#include <pthread.h>
pthread_mutex_t early, late;
int x;
int main() {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutex_init(&early, &attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&late, &attr);
  pthread_mutex_lock(&late);
  pthread_mutex_lock(&late);
  x++;
  pthread_mutex_unlock(&late);
  pthread_mutex_unlock(&late);
  pthread_mutex_lock(&early);  //@ A
  pthread_mutex_lock(&early);  //@ B
  x++;
  pthread_mutex_unlock(&early);
  pthread_mutex_unlock(&early);
}
