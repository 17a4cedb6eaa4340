// What at_quick_exit was given takes the lock that is held where quick_exit is called.
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void at_end(void) { pthread_mutex_lock(&lock); }  //@ B
int main(void) {
  at_quick_exit(at_end);
  pthread_mutex_lock(&lock);  //@ A
  quick_exit(0);
}
// expect: self A-B
