// The same; the chosen function is called without the lock.
// expect: none
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static void locks(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
}
static void (*choose(void))(void) { return locks; }
void work(void) __attribute__((ifunc("choose")));
int main(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  work();
}
