#include "runtime/libc/helper_thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "runtime/libc/real.h"
#include "runtime/memory/pages.h"
#include "runtime/raw_syscall.h"
#include "runtime/threads/thread.h"

namespace heddle::rt {
namespace {

struct Start {
  const char* name;
  void (*run)();
};

void* Run(void* argument) {
  t_hot.gone = 1;  // not the program's: everything it calls is passed on
  const auto* start = static_cast<const Start*>(argument);
  Sys(SYS_prctl, PR_SET_NAME, start->name);
  start->run();
  return nullptr;
}

// False when libc does not take a stack of this size: thread-local variables of the program lie on it too.
bool StartOnStack(size_t bytes, Start what) {
  auto* stack = static_cast<char*>(MapPages(bytes));
  if (stack == nullptr) return false;
  auto* start = reinterpret_cast<Start*>(stack);  // the lowest bytes, which the stack never reaches
  *start = what;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstack(&attributes, stack, bytes);
  pthread_t handle{};
  bool started = REAL(pthread_create)(&handle, &attributes, Run, start) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) UnmapPages(stack, bytes);
  return started;
}

}  // namespace

bool StartHelperThread(const char* name, void (*run)()) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = false;
  for (size_t bytes = size_t{1} << 16U; !started && bytes <= size_t{1} << 24U; bytes <<= 4U) {
    started = StartOnStack(bytes, Start{name, run});
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace heddle::rt
