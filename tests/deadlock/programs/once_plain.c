// A once-object whose routine locks, without a lock around it.
// expect: none
#include <pthread.h>
pthread_mutex_t m;
pthread_once_t once = PTHREAD_ONCE_INIT;
int x;
void setup(void) {
  pthread_mutex_lock(&m);
  x = 1;
  pthread_mutex_unlock(&m);
}
void *work(void *arg) {
  pthread_once(&once, setup);
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
