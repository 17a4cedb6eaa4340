// A variable of a library that holds a function of the program, called by the library while the lock is held.
// expect: self A-B
#include <pthread.h>
extern void (*lib_hook)(void);
extern void lib_step(void);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static void hook(void) {
  pthread_mutex_lock(&a);  //@ B
  pthread_mutex_unlock(&a);
}
int main(void) {
  lib_hook = hook;
  pthread_mutex_lock(&a);  //@ A
  lib_step();
  pthread_mutex_unlock(&a);
}
