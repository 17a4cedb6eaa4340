// A jump out of a locked region: the lock is still held.
// expect: self A-A
#include <pthread.h>
#include <setjmp.h>
pthread_mutex_t m;
jmp_buf back;
int x;
void work(void) {
  pthread_mutex_lock(&m);  //@ A
  if (x++ < 1) longjmp(back, 1);
  pthread_mutex_unlock(&m);
}
int main() {
  setjmp(back);
  work();
}
