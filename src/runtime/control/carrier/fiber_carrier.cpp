// Every logical thread runs on one OS thread, the program's first. The others exist for real, so that their stacks,
// thread-control blocks and kernel state do; they give their stacks away when they start and get them back to end.
// A switch is a new stack pointer and a new TLS base.
#include <linux/futex.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "runtime/control/carrier/carrier.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

constexpr unsigned long kFsGsBase = 2;  // HWCAP2_FSGSBASE

class Fiber final : public Carrier {
 public:
  void Park(ControlThread* self, uint64_t) override {
    ControlThread* to = next_;
    if (to == self || to == nullptr) return;
    SwitchTo(self, to);
  }
  void Unpark(ControlThread* thread) override { next_ = thread; }

  void Leave(ControlThread* self, ControlThread* next) override {
    if (self->number == 0) {
      // The carrier itself is the main thread's: its own end comes when nobody is left to be carried.
      main_ = self;
      if (next != nullptr) SwitchTo(self, next);
      return;
    }
    if (!self->pooled) ending_ = self;
    SwitchTo(self, next != nullptr ? next : main_);
    // Back on the thread's own OS thread.
    self->gone.store(1);
  }

  void Created(ControlThread* thread) override {
    if (thread->pooled) return;
    while (thread->fiber.parked.load(std::memory_order_acquire) == 0) {
      Sys(SYS_futex, &thread->fiber.parked, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }
  }

  void Enter(ControlThread* self) override {
    self->fiber.fs = ReadFs();
    if (self->number == 0 || self->pooled) return;
    // A signal would run its handler on a stack that somebody else is running on.
    sigset_t all;
    sigfillset(&all);
    Sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, 8);
    heddle_fiber_park(&self->fiber);
    ReleaseEnding();
  }

  void Forked(ControlThread* self) override {
    next_ = self;
    ending_ = nullptr;
  }
  bool is_fiber() const override { return true; }

 private:
  void SwitchTo(ControlThread* from, ControlThread* to) {
    heddle_fiber_switch(&from->fiber, &to->fiber);
    ReleaseEnding();
  }

  // The thread that ended has been switched away from: its OS thread may finish it.
  void ReleaseEnding() {
    ControlThread* ended = ending_;
    if (ended == nullptr || Sys(SYS_gettid) != Sys(SYS_getpid)) return;
    ending_ = nullptr;
    ended->fiber.release.store(1);
    Sys(SYS_futex, &ended->fiber.release, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

  ControlThread* next_ = nullptr;
  ControlThread* ending_ = nullptr;
  ControlThread* main_ = nullptr;
};

Fiber g_fiber;

}  // namespace

Carrier* FiberCarrier() { return (getauxval(AT_HWCAP2) & kFsGsBase) != 0 ? &g_fiber : nullptr; }

}  // namespace heddle::rt::control
