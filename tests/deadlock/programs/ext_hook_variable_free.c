// The same; the library is not called while the lock is held.
// expect: none
#include <pthread.h>
extern void (*lib_hook)(void);
extern void lib_step(void);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static void hook(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}
int main(void) {
  lib_hook = hook;
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  lib_step();
}
