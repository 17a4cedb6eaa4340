// A table by descriptor: who closes one is done with its row before another thread can be given the number again.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "steps.h"

int rows[64];
int descriptor;

static void* First(void*) {
#ifdef BUG
  close(descriptor);
  rows[descriptor] = 1;
#else
  rows[descriptor] = 1;
  close(descriptor);
#endif
  NextStep();
  return nullptr;
}
static void* Second(void*) {
  WaitStep(1);
  int again = open("/dev/null", O_RDONLY);
  if (again != descriptor) abort();
  rows[again] = 2;
  return nullptr;
}

int main() {
  descriptor = open("/dev/null", O_RDONLY);
  if (descriptor < 0 || descriptor >= 64) abort();
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, First, nullptr);
  pthread_create(&second, nullptr, Second, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
