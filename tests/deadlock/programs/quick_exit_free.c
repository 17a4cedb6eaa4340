// The same, with the lock released before.
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void at_end(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}
int main(void) {
  at_quick_exit(at_end);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  quick_exit(0);
}
// expect: none
