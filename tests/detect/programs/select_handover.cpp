// select tells of what was written to the other end.
#include <pthread.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "steps.h"
int ends[2], data;
static void* First(void*) {
#ifndef BUG
  data = 1;
#endif
  if (send(ends[1], "x", 1, 0) != 1) abort();
#ifdef BUG
  data = 1;
#endif
  NextStep();
  return nullptr;
}
int main() {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
  pthread_t t;
  pthread_create(&t, nullptr, First, nullptr);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  if (select(ends[0] + 1, &set, nullptr, nullptr, nullptr) != 1) abort();
  WaitStep(1);
  data = 2;
  pthread_join(t, nullptr);
}
