// dup2 over a number that another thread closes.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"
int fd, other;
static void* Close(void*) {
  WaitStep(1);
  close(fd);
  return nullptr;
}
int main() {
  fd = open("/dev/null", O_RDONLY);
  other = open("/dev/null", O_RDONLY);
  pthread_t t;
#ifdef BUG
  pthread_create(&t, nullptr, Close, nullptr);
  dup2(other, fd);
#else
  dup2(other, fd);
  pthread_create(&t, nullptr, Close, nullptr);
#endif
  NextStep();
  pthread_join(t, nullptr);
  close(other);
}
