// What a debugger's stub (src/analysis/debug) sees of a target that is replayed on fibers: where in the schedule it is,
// and where the threads that do not run keep their registers. The runtime has one of these under the name
// kDebugViewSymbol; all addresses are the target's. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::wire {

inline constexpr char kDebugViewSymbol[] = "heddle_debug_view";
inline constexpr uint64_t kDebugViewMagic = 0x31574956'4c444448;  // HDDLVIW1

struct DebugView {
  uint64_t magic;
  uint64_t stop_step;      // written by the stub: a trap when so many steps have been performed; 0: none
  const void* steps;       // the number of steps that were performed (8 bytes)
  const void* slots;       // pointers to threads, null where there is none
  const void* slot_limit;  // their number (4 bytes)
  // Offsets within a thread.
  uint64_t number;  // 4 bytes, 0 is the main thread
  uint64_t name;    // text that ends with a zero
  uint64_t ended;   // 1 byte
  uint64_t stack;   // 8 bytes: the stack pointer, while it does not run
  uint64_t fs;      // 8 bytes: the TLS base, always; it tells which thread runs
};
static_assert(sizeof(DebugView) == 80);

inline constexpr uint64_t kThreadNameBytes = 64;

// What lies above the saved stack pointer, from there upwards: control words of the floating-point units, then these.
struct FiberFrame {
  uint32_t mxcsr;
  uint32_t control;
  uint64_t r15, r14, r13, r12, rbx, rbp;
  uint64_t return_address;
};
static_assert(sizeof(FiberFrame) == 64);

}  // namespace heddle::wire
