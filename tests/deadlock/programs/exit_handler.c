// exit under a lock that a function of atexit takes.
// expect: self A-B
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void at_end(void) {
  pthread_mutex_lock(&m);  //@ B
  x++;
  pthread_mutex_unlock(&m);
}
int main() {
  atexit(at_end);
  pthread_mutex_lock(&m);  //@ A
  if (x > 3) exit(1);
  pthread_mutex_unlock(&m);
}
