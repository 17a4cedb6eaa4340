// A signal that is read from a descriptor.
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "steps.h"
int data;
int fd;
static void* Wait(void*) {
  signalfd_siginfo info;
  if (read(fd, &info, sizeof info) == sizeof info) WaitStep(1);
  ++data;
  return nullptr;
}
int main() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd = signalfd(-1, &set, 0);
  pthread_t waiter;
  pthread_create(&waiter, nullptr, Wait, nullptr);
#ifndef BUG
  data = 1;
#endif
  kill(getpid(), SIGUSR2);
#ifdef BUG
  data = 1;
#endif
  NextStep();
  pthread_join(waiter, nullptr);
}
