// A destructor function, which exit calls beside a thread that still runs, takes two locks in another order.
// expect: cycle A-B C-D
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
__attribute__((destructor)) void at_end(void) {
  pthread_mutex_lock(&b);  //@ C
  pthread_mutex_lock(&a);  //@ D
  x++;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
}
int main() {
  pthread_t t;
  pthread_create(&t, 0, first, 0);
  pthread_detach(t);
  return 0;
}
