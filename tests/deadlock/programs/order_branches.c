// The lock order depends on an argument; both orders are possible in two threads. The compiler makes one lock operation of
// the two branches, with the line of the test.
// expect: cycle I-I I-I
#include <pthread.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
int x;
void *work(void *arg) {
  if (arg) {  //@ I
    pthread_mutex_lock(&a_lock);
    pthread_mutex_lock(&b_lock);
  } else {
    pthread_mutex_lock(&b_lock);
    pthread_mutex_lock(&a_lock);
  }
  x++;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, work, &x);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
