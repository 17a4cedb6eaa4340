// A program with thousands of descriptors open. Each is told by another one, and closed by whoever heard it: those beyond
// the numbers that the detector follows one by one must not look unordered. The bug is that the last word is said too early.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "steps.h"

enum { kMany = 4300 };
static int g_fds[kMany];
static int g_data[kMany];
static int g_last;

static void* Tell(void*) {
  uint64_t one = 1;
  for (int i = 0; i < kMany; ++i) {
#ifndef BUG
    if (i == kMany - 1) g_last = 1;
#endif
    g_data[i] = i;
    if (write(g_fds[i], &one, 8) != 8) abort();
  }
#ifdef BUG
  g_last = 1;
#endif
  NextStep();
  return nullptr;
}

int main() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  int poll = epoll_create1(0);
  int made = 0;
  while (made < kMany && (g_fds[made] = eventfd(0, 0)) >= 0) ++made;
  if (made < kMany) return 0;  // the machine allows fewer
  epoll_event event{EPOLLIN, {nullptr}};
  epoll_ctl(poll, EPOLL_CTL_ADD, g_fds[kMany - 1], &event);
  pthread_t t;
  pthread_create(&t, nullptr, Tell, nullptr);
  uint64_t value = 0;
  for (int i = 0; i < kMany - 1; ++i) {
    if (read(g_fds[i], &value, 8) != 8 || g_data[i] != i) abort();
    close(g_fds[i]);
  }
  while (epoll_wait(poll, &event, 1, -1) != 1) {
  }
  WaitStep(1);
  int last = g_last;
  close(g_fds[kMany - 1]);
  pthread_join(t, nullptr);
  return last == 1 ? 0 : 1;
}
