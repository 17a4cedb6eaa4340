// A handler in a structure for sigaction, on the stack, takes the mutex that main holds.
// expect: signal A-B
#include <pthread.h>
#include <signal.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void handler(int number) {
  pthread_mutex_lock(&mutex);  //@ B
  pthread_mutex_unlock(&mutex);
}
int main(void) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, 0);
  pthread_mutex_lock(&mutex);  //@ A
  pthread_mutex_unlock(&mutex);
  return 0;
}
