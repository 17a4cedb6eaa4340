/* x and y are both meant to be used under the lock; x is read without it. */
#include <pthread.h>

static int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* worker(void* result) {
  pthread_mutex_lock(&lock);
  int sum = y;
#ifdef FIXED
  sum += x;
#endif
  pthread_mutex_unlock(&lock);
#ifndef FIXED
  sum += x;
#endif
  *(int*)result = sum;
  return 0;
}

int main(void) {
  pthread_t thread;
  int result = 0;
  pthread_create(&thread, 0, worker, &result);
  pthread_mutex_lock(&lock);
  x = 1;
  y = 2;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return result < 0;
}
