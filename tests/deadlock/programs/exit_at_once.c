// _exit does not run what atexit was given.
// expect: none
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void at_end(void) {
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
}
int main() {
  atexit(at_end);
  pthread_mutex_lock(&m);
  if (x > 3) _exit(1);
  pthread_mutex_unlock(&m);
}
