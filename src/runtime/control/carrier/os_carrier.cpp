// A logical thread is an OS thread that sleeps on its grant word. Code between visible operations runs in parallel.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/control/carrier/carrier.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

class Os final : public Carrier {
 public:
  void Park(ControlThread* self, uint64_t deadline) override {
    // A hand-over may come at once. Looking out for it longer costs more than it saves: bench/control/run, `os rr`.
    for (int i = 0; i < 10; ++i) {
      if (self->grant.load(std::memory_order_acquire) != kNone) return;
      __builtin_ia32_pause();
    }
    KeepErrno keep;  // the grant may have come meanwhile: EAGAIN
    timespec until{static_cast<time_t>(deadline / kSecond), static_cast<long>(deadline % kSecond)};
    self->sleeping.store(1);
    SysAsleep(&self->fiber, SYS_futex, &self->grant, FUTEX_WAIT_BITSET_PRIVATE, kNone, deadline == 0 ? nullptr : &until,
              nullptr, FUTEX_BITSET_MATCH_ANY);
    self->sleeping.store(0, std::memory_order_relaxed);
  }
  // Either the grant is seen before the thread sleeps, or its being about to is seen here.
  void Unpark(ControlThread* thread) override {
    if (thread->sleeping.load() != 0) Sys(SYS_futex, &thread->grant, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  void Leave(ControlThread* self, ControlThread*) override { self->gone.store(1); }
  void Created(ControlThread*) override {}
  void Enter(ControlThread*) override {}
  void Forked(ControlThread*) override {}
  bool is_fiber() const override { return false; }
};

Os g_os;

}  // namespace

Carrier* OsCarrier() { return &g_os; }

}  // namespace heddle::rt::control
