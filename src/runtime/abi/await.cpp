// What the pass plugin tells about a loop that waits for a value: the condition for going on, before the loop's atomic.
#include "runtime/control/search/await.h"

#include "runtime/control/search/explore.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

HEDDLE_INTERCEPT void __heddle_await(uint32_t condition, uint32_t bits, uint64_t operand) {
  if (__builtin_expect(static_cast<long>(!control::Exploring()), 1) != 0 || Passive()) return;
  if (control::g_visible >= control::Visible::Atomics) control::TellAwait(condition, bits, operand);
}
