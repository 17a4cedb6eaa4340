// Barriers that order nobody, which programs written to test race detectors use to fix an interleaving.
#include <linux/futex.h>
#include <sys/syscall.h>

#include <climits>

#include "runtime/libc/real.h"
#include "runtime/raw_syscall.h"
#include "runtime/threads/thread.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

// The low byte is how many take part, the rest counts arrivals.
HEDDLE_INTERCEPT void __tsan_testonly_barrier_init(unsigned* barrier, unsigned count) {
  __atomic_store_n(barrier, count & 0xFFU, __ATOMIC_SEQ_CST);
}

HEDDLE_INTERCEPT void __tsan_testonly_barrier_wait(unsigned* barrier) {
  unsigned before = __atomic_fetch_add(barrier, 1U << 8U, __ATOMIC_SEQ_CST);
  unsigned count = before & 0xFFU;
  if (count == 0) return;
  unsigned round = (before >> 8U) / count;
  while (true) {
    unsigned now = __atomic_load_n(barrier, __ATOMIC_SEQ_CST);
    if ((now >> 8U) / count != round) break;
    KeepErrno keep;
    Sys(SYS_futex, barrier, FUTEX_WAIT, now, nullptr, nullptr, 0);
  }
  KeepErrno keep;
  Sys(SYS_futex, barrier, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

HEDDLE_INTERCEPT unsigned long __tsan_testonly_shadow_stack_current_size() {
  return t_hot.thread == nullptr ? 0 : static_cast<unsigned long>(t_hot.top - t_hot.thread->frames);
}
