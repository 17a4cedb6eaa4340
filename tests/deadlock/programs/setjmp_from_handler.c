// A signal handler jumps out of a locked region: the interrupted lock stays held.
// expect: self A-A
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
sigjmp_buf back;
int x;
void handler(int number) { siglongjmp(back, number); }
int main() {
  signal(SIGALRM, handler);
  sigsetjmp(back, 1);
  pthread_mutex_lock(&m);  //@ A
  x++;
  pthread_mutex_unlock(&m);
}
