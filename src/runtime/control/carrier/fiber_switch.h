// The machine's part of fibers: stack and TLS base of a thread that is not running, and the switch.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/raw_syscall.h"

extern "C" {
// A copy of the process is being made (docs/checkpoints.md).
__attribute__((visibility("hidden"))) extern std::atomic<uint32_t> heddle_freeze;
}

namespace heddle::rt::control {

struct FiberContext {
  uint64_t stack = 0;                // stack pointer; the registers that calls preserve are pushed there
  uint64_t fs = 0;                   // TLS base
  std::atomic<uint32_t> parked{0};   // the OS thread has given its stack away
  std::atomic<uint32_t> release{0};  // it may have it back
};

inline uint64_t ReadFs() {
  uint64_t fs;
  asm volatile("rdfsbase %0" : "=r"(fs));
  return fs;
}

// Saves the calling context in `from` and goes on in `to`. Returns when somebody switches to `from`.
extern "C" void heddle_fiber_switch(FiberContext* from, const FiberContext* to);

// Saves the calling context, says so in `parked`, and sleeps without touching the stack, which others run on from now
// on, until `release` is set. Then goes on in the context as it is by then. Block all signals before.
extern "C" void heddle_fiber_park(FiberContext* self);

// An OS thread that waits in the kernel: makes the system call `call` (number and six arguments) and returns what the
// kernel does. Meanwhile `parked` is set and the context is saved, so that a copy of the process can go on with this
// thread as a fiber, behind the call. Does not return while heddle_freeze is set.
extern "C" long heddle_fiber_sleep(FiberContext* self, const long* call);
// The same, as Sys, with what the kernel returns.
template <typename... Args>
long SysAsleep(FiberContext* self, long number, Args... args) {
  static_assert(sizeof...(args) == 6);
  const long call[7] = {number, AsLong(args)...};
  return heddle_fiber_sleep(self, call);
}

}  // namespace heddle::rt::control
