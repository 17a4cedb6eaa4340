// The routine of a once-object locks what a caller of pthread_once holds.
// expect: cycle C-D E-F
#include <pthread.h>
pthread_mutex_t m;
pthread_once_t once = PTHREAD_ONCE_INIT;
int x;
void setup(void) {
  pthread_mutex_lock(&m);  //@ D
  x = 1;
  pthread_mutex_unlock(&m);
}
void *one(void *arg) {
  pthread_mutex_lock(&m);       //@ A
  x++;
  pthread_mutex_unlock(&m);
  pthread_once(&once, setup);   //@ C
  return 0;
}
void other(void) { x = 2; }
void *two(void *arg) {
  pthread_mutex_lock(&m);       //@ E
  pthread_once(&once, other);   //@ F
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
