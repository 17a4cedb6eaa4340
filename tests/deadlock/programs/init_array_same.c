// A function of the section .init_array starts a thread, which takes the locks as main does.
// expect: none
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x;
void* first(void* p) {
  pthread_mutex_lock(&a);  //@ A
  pthread_mutex_lock(&b);  //@ B
  x++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return p;
}
void start(void) {
  pthread_t t;
  pthread_create(&t, 0, first, 0);
  pthread_detach(t);
}
__attribute__((section(".init_array"), used)) void (*const entry)(void) = start;
void second(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
}
int main() {
  second();
  return 0;
}
