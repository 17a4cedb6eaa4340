// epoll tells of what was written to the other end.
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "steps.h"
int ends[2], ep, data;
static void* First(void*) {
#ifndef BUG
  data = 1;
#endif
  if (write(ends[1], "x", 1) != 1) abort();
#ifdef BUG
  data = 1;
#endif
  NextStep();
  return nullptr;
}
int main() {
  if (pipe(ends) != 0) abort();
  ep = epoll_create1(0);
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.ptr = &data;
  epoll_ctl(ep, EPOLL_CTL_ADD, ends[0], &e);
  pthread_t t;
  pthread_create(&t, nullptr, First, nullptr);
  epoll_event got[4];
  if (epoll_wait(ep, got, 4, -1) != 1) abort();
  WaitStep(1);
  data = 2;
  pthread_join(t, nullptr);
}
