// An errorcheck mutex returns an error instead of waiting.
// expect: none
#define _GNU_SOURCE
#include <pthread.h>
pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int main() {
  pthread_mutex_lock(&m);
  int r = pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return r;
}
