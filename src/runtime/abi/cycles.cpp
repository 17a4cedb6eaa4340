// The processor's cycle counter, where the pass plugin replaced the instruction that reads it.
#include "runtime/control/replay/demo.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

// Outside of control the counter itself. In logical time a nanosecond is a cycle; a recording keeps real ones.
HEDDLE_INTERCEPT uint64_t __heddle_cycles() {
  if (Passive() || !control::Controlled()) return __builtin_ia32_rdtsc();
  if (control::g_virtual_time) return control::KeptTime(control::Self());
  uint64_t cycles = 0;
  iovec piece{&cycles, sizeof cycles};
  control::Recorded(
      control::DemoCall::kClock, true, &piece, 1,
      [&cycles] {
        cycles = __builtin_ia32_rdtsc();
        return int64_t{0};
      },
      [](int64_t) { return sizeof cycles; });
  return cycles;
}
