// poll on an eventfd tells of what its writer did.
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "steps.h"
int fd, data;
static void* First(void*) {
  uint64_t one = 1;
#ifndef BUG
  data = 1;
#endif
  if (write(fd, &one, 8) != 8) abort();
#ifdef BUG
  data = 1;
#endif
  NextStep();
  return nullptr;
}
int main() {
  fd = eventfd(0, EFD_NONBLOCK);
  pthread_t t;
  pthread_create(&t, nullptr, First, nullptr);
  pollfd p{fd, POLLIN, 0};
  if (poll(&p, 1, -1) != 1) abort();
  WaitStep(1);
  data = 2;
  pthread_join(t, nullptr);
}
