// No main: any exported function may be called by any thread.
// expect: cycle A-B C-D
#include <pthread.h>
static pthread_mutex_t a_lock, b_lock;
static int x;
void put(int n) {
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  x += n;
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
}
int get(void) {
  pthread_mutex_lock(&b_lock);  //@ C
  pthread_mutex_lock(&a_lock);  //@ D
  int n = x;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return n;
}
