// The same with a static initialiser.
// expect: none
#define _GNU_SOURCE
#include <pthread.h>
pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int x;
void inner(void) {
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
}
int main() {
  pthread_mutex_lock(&m);
  inner();
  pthread_mutex_unlock(&m);
}
