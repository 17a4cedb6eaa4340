// The cleanup handler runs at pthread_exit, with what is held there.
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void clean(void* x) {
  (void)x;
  pthread_mutex_lock(&a);  //@ B
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
}
static void* first(void* x) {
  pthread_cleanup_push(clean, x);
  pthread_mutex_lock(&b);  //@ A
  pthread_exit(0);
  pthread_cleanup_pop(0);
  return x;
}
static void* second(void* x) {
  pthread_mutex_lock(&a);  //@ C
  pthread_mutex_lock(&b);  //@ D
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return x;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
// expect: cycle A-B C-D
// false alarm: leak A D because it is not known that a handler was pushed before
