// One handler interrupts another, in the same thread.
// expect: signal B-A
#include <pthread.h>
#include <signal.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void on_first(int n) {
  pthread_mutex_lock(&m);  //@ A
  x++;
  pthread_mutex_unlock(&m);
}
void on_second(int n) {
  pthread_mutex_lock(&m);  //@ B
  x++;
  pthread_mutex_unlock(&m);
}
int main() {
  signal(SIGUSR1, on_first);
  signal(SIGUSR2, on_second);
}
