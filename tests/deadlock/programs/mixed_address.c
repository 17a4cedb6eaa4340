// The address of the second lock is kept by exclusive or: it may be any lock. Twin: hidden_address.c.
#include <pthread.h>
#include <stdint.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t mixed;
static void* first(void* x) {
  pthread_mutex_t* second = (pthread_mutex_t*)(mixed ^ (uintptr_t)&a);
  pthread_mutex_lock(&a);      //@ A
  pthread_mutex_lock(second);  //@ B
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(&a);
  return x;
}
int main(void) {
  mixed = (uintptr_t)&a ^ (uintptr_t)&b;
  first(0);
  return 0;
}
// expect: self A-B
