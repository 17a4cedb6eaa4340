// Barriers that order nobody, which programs written to test race detectors use to fix an interleaving.
#include <linux/futex.h>
#include <sys/syscall.h>

#include <climits>

#include "runtime/libc/real.h"
#include "runtime/raw_syscall.h"
#include "runtime/threads/thread.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

// The low ten bits are how many take part, the rest counts arrivals.
static constexpr unsigned kCountBits = 10;
static constexpr unsigned kCount = (1U << kCountBits) - 1;

HEDDLE_INTERCEPT void __tsan_testonly_barrier_init(unsigned* barrier, unsigned count) {
  __atomic_store_n(barrier, count & kCount, __ATOMIC_SEQ_CST);
}

HEDDLE_INTERCEPT void __tsan_testonly_barrier_wait(unsigned* barrier) {
  unsigned before = __atomic_fetch_add(barrier, 1U << kCountBits, __ATOMIC_SEQ_CST);
  unsigned count = before & kCount;
  if (count == 0) return;
  unsigned round = (before >> kCountBits) / count;
  while (true) {
    unsigned now = __atomic_load_n(barrier, __ATOMIC_SEQ_CST);
    if ((now >> kCountBits) / count != round) break;
    KeepErrno keep;
    Sys(SYS_futex, barrier, FUTEX_WAIT, now, nullptr, nullptr, 0);
  }
  KeepErrno keep;
  Sys(SYS_futex, barrier, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

HEDDLE_INTERCEPT unsigned long __tsan_testonly_shadow_stack_current_size() {
  return t_hot.thread == nullptr ? 0 : static_cast<unsigned long>(t_hot.top - t_hot.thread->frames);
}
