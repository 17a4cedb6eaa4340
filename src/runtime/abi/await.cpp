// What the pass plugin tells about loops that wait: the condition for going on, before the loop's atomic; and the looks
// of libstdc++ before it waits in the kernel (instrument/pass/spin_once.h).
#include "runtime/control/search/await.h"

#include "runtime/control/search/explore.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

HEDDLE_INTERCEPT void __heddle_await(uint32_t condition, uint32_t bits, uint64_t operand) {
  if (__builtin_expect(static_cast<long>(!control::Exploring()), 1) != 0 || Passive()) return;
  if (control::g_visible >= control::Visible::kAtomics) control::TellAwait(condition, bits, operand);
}

HEDDLE_INTERCEPT bool __heddle_watches_looks() { return !Passive(); }
HEDDLE_INTERCEPT void __heddle_look_begins() { t_hot.attempted = 0; }
HEDDLE_INTERCEPT bool __heddle_look_attempted() { return t_hot.attempted != 0; }
