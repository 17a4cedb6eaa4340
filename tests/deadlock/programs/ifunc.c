// A function that a resolver chooses when the program starts.
// expect: self A-B
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static void locks(void) {
  pthread_mutex_lock(&a);  //@ B
  pthread_mutex_unlock(&a);
}
static void (*choose(void))(void) { return locks; }
void work(void) __attribute__((ifunc("choose")));
int main(void) {
  pthread_mutex_lock(&a);  //@ A
  work();
  pthread_mutex_unlock(&a);
}
