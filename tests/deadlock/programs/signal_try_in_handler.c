// A handler that only tries.
// expect: none
#include <pthread.h>
#include <signal.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void on_signal(int n) {
  if (pthread_mutex_trylock(&m) != 0) return;
  x++;
  pthread_mutex_unlock(&m);
}
int main() {
  signal(SIGUSR1, on_signal);
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
}
