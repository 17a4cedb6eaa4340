// A signal handler locks what the interrupted code holds.
// expect: signal A-B
#include <pthread.h>
#include <signal.h>
pthread_mutex_t m;
int x;
void on_signal(int n) {
  pthread_mutex_lock(&m);  //@ B
  x++;
  pthread_mutex_unlock(&m);
}
int main() {
  signal(SIGUSR1, on_signal);
  pthread_mutex_lock(&m);  //@ A
  x++;
  pthread_mutex_unlock(&m);
}
