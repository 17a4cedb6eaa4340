// The machine's part of fibers: stack and TLS base of a thread that is not running, and the switch.
#pragma once

#include <atomic>
#include <cstdint>

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

}  // namespace heddle::rt::control
