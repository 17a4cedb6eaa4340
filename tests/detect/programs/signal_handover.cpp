// A thread that waits for a signal by sigwait or signalfd.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "steps.h"
int data, fd;
static void* First(void*) {
#ifdef BUG
  NextStep();
#endif
  data = 1;
#ifndef BUG
  NextStep();
#endif
  kill(getpid(), SIGUSR1);
  return nullptr;
}
int main() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd = signalfd(-1, &set, 0);
  pthread_t t;
  pthread_create(&t, nullptr, First, nullptr);
  signalfd_siginfo info;
#ifdef BUG
  data = 2;
#endif
  if (read(fd, &info, sizeof info) != sizeof info) abort();
  WaitStep(1);
#ifndef BUG
  pthread_join(t, nullptr);
  data = 2;
#else
  pthread_join(t, nullptr);
#endif
}
