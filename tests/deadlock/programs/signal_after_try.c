// What the interrupted code holds was taken by a try.
// expect: signal A-B
#include <pthread.h>
#include <signal.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void on_signal(int n) {
  pthread_mutex_lock(&m);  //@ B
  x++;
  pthread_mutex_unlock(&m);
}
int main() {
  signal(SIGUSR1, on_signal);
  if (pthread_mutex_trylock(&m) == 0) {  //@ A
    x++;
    pthread_mutex_unlock(&m);
  }
}
