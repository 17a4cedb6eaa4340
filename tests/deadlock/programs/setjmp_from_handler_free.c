// A signal handler jumps to where nothing is locked any more.
// expect: none
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
sigjmp_buf back;
int x;
void handler(int number) { siglongjmp(back, number); }
int main() {
  signal(SIGALRM, handler);
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  sigsetjmp(back, 1);
  return x;
}
