// A normal mutex is taken twice.
// expect: self A-B
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void inner(void) {
  pthread_mutex_lock(&m);  //@ B
  x++;
  pthread_mutex_unlock(&m);
}
int main() {
  pthread_mutex_lock(&m);  //@ A
  inner();
  pthread_mutex_unlock(&m);
}
