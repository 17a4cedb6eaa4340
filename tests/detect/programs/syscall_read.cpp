// System calls by number move data as the functions do.
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "steps.h"
int ends[2];
char text[16];
static void* Second(void*) {
  WaitStep(1);
#ifdef BUG
  text[0] = 'b';
#else
  char own[16];
  own[0] = 'b';
  if (own[0] != 'b') abort();
#endif
  return nullptr;
}
int main() {
  if (pipe(ends) != 0 || write(ends[1], "hello", 5) != 5) abort();
  pthread_t t;
  pthread_create(&t, nullptr, Second, nullptr);
  if (syscall(SYS_read, ends[0], text, sizeof text) != 5) abort();
  NextStep();
  pthread_join(t, nullptr);
}
