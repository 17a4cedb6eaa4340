// Inline assembly is taken to lock nothing.
// expect: none
#include <pthread.h>
pthread_mutex_t m;
int x;
void *work(void *arg) {
  pthread_mutex_lock(&m);
  __asm__ volatile("lock incl %0" : "+m"(x));
  pthread_mutex_unlock(&m);
  return 0;
}
int main() {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  work(0);
  pthread_join(a, 0);
}
