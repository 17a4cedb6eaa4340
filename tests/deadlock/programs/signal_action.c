// A handler installed by sigaction that locks nothing.
// expect: none
#include <pthread.h>
#include <signal.h>
pthread_mutex_t m;
volatile int x;
void on_signal(int n) { x = 1; }
int main() {
  struct sigaction action = {0};
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, 0);
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
}
