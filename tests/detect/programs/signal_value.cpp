// A signal that one thread sends and another waits for.
#include <pthread.h>
#include <signal.h>

#include "steps.h"
int data;
sigset_t set;
static void* Wait(void*) {
  siginfo_t info;
  while (sigwaitinfo(&set, &info) < 0) {
  }
  WaitStep(1);
  ++*static_cast<int*>(info.si_value.sival_ptr);
  return nullptr;
}
int main() {
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  pthread_t waiter;
  pthread_create(&waiter, nullptr, Wait, nullptr);
#ifndef BUG
  data = 1;
#endif
  sigval value;
  value.sival_ptr = &data;
  pthread_sigqueue(waiter, SIGRTMIN, value);
#ifdef BUG
  data = 1;
#endif
  NextStep();
  pthread_join(waiter, nullptr);
}
