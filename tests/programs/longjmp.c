/* longjmp over frames that were entered and never left. */
#include <pthread.h>
#include <setjmp.h>

#include "check.h"

static jmp_buf back;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) int Dive(int depth) {
  volatile char here[64];
  here[0] = (char)depth;
  if (depth == 0) longjmp(back, 1);
  return Dive(depth - 1) + here[0];
}

int main(void) {
  for (volatile int i = 0; i < 1000; ++i) {
    if (setjmp(back) == 0) Dive(100);
    if (_setjmp(back) == 0) Dive(3);
  }
  if (setjmp(back) == 0) Dive(30000);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  puts("done");
  return 0;
}
