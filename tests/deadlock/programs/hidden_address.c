// The address of what is called is kept by exclusive or: where the call leads is not known.
// proof: no
#include <pthread.h>
#include <stdint.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
uintptr_t mixed, key;
static void again(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}
int main(void) {
  mixed = (uintptr_t)&again ^ key;
  pthread_mutex_lock(&a);
  ((void (*)(void))(mixed ^ key))();
  pthread_mutex_unlock(&a);
  return 0;
}
// expect: none
