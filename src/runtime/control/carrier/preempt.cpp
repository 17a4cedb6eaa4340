#include "runtime/control/carrier/preempt.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <cerrno>

#include "runtime/control/replay/replay.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/control/turn/timer.h"
#include "runtime/libc/real.h"
#include "runtime/mode.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {

std::atomic<uint64_t> g_spinner_runs{0};

namespace {

int PreemptSignal() { return SIGRTMAX - 1; }

// Somebody else for the turn that `self` has; null when nobody can go on.
ControlThread* PickOther(ControlThread* self) {
  g_enabled.Remove(self->slot);
  bool comes = false;
  ControlThread* other = AskStrategy(&comes);
  g_enabled.Add(self->slot);
  return other;
}

ControlThread* g_spinner = nullptr;

void Preempt(ControlThread* self) {
  if (Replaying()) return RunOthersUp(self);
  uint32_t grant = self->grant.load();
  if (grant == kPerform || grant == kChoose) {
    ControlThread* other = PickOther(self);
    if (other == nullptr) return;
    self->grant.store(kNone);
    g_strategy->Yields(self->slot);
    GrantTurn(other, kPerform);
  } else if (!ByArrival() || g_free) {
    return;
  }
  // Where it stands is not before an operation; what it said last must not be looked at.
  SetPoint(self, PointOf(sched::kYield, 0, nullptr));
  if (ByArrival() && !self->queued) Enqueue(self);
  AwaitResume(self);
  g_spinner_runs.store(g_steps + 1, std::memory_order_relaxed);
}

bool HandlerWaits(const ControlThread* self) {
  if (!Replaying()) return self->has_signal.load();
  return self->grant.load() == kPerform && HandlerIsNext(self);
}

// Logical time stands still while the only thread that can go on spins: what it waits for may be the timer.
void LetTimePass(ControlThread* self) {
  uint32_t grant = self->grant.load();
  bool has_turn = grant == kPerform || grant == kChoose || (g_on_fibers && g_free);
  if (Replaying() || !has_turn) return;
  {
    StateHolder hold;
    bool alone = true;
    g_enabled.ForEach([&](uint32_t slot) { alone = alone && slot == self->slot; });
    if (!alone) return;
  }
  ExpireTimer();
}

void OnSignal(int, siginfo_t*, void* context) {
  ControlThread* self = Self();
  auto where = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  const auto* pc = reinterpret_cast<const void*>(where);  // NOLINT: a register
  if (self == nullptr || t_hot.in_runtime != 0 || !IsInstrumentedCode(pc)) return;
  int error = errno;
  if (!HandlerWaits(self)) LetTimePass(self);
  if (HandlerWaits(self)) {
    Take(PointOf(sched::kYield, 0, pc));
    Done(Outcome::Success, true);
  } else if (g_on_fibers) {
    RuntimeScope::Enter();
    Preempt(self);
    RuntimeScope::Leave();
  }
  errno = error;
}

}  // namespace

void InstallPreemption() {
  struct sigaction action{};
  action.sa_sigaction = OnSignal;
  // Not blocked while a preempted fiber stands in the handler: the OS thread goes on with another one.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  REAL(sigaction)(PreemptSignal(), &action, nullptr);
}

// One after the other, so that each is looked at.
void RunOthersUp(ControlThread* self) {
  if (self->grant.load() == kNone) {  // it is running up itself, and spins
    g_carrier->Unpark(g_spinner);
    return AwaitResume(self);
  }
  for (uint32_t i = 0; i < g_slot_limit; ++i) {
    ControlThread* other = g_slots[i];
    if (other == nullptr || other == self || other->ended || !other->resting) continue;
    g_spinner = self;
    other->grant.store(kRunUp);
    g_carrier->Unpark(other);
    g_carrier->Park(self, 0);
  }
}

void RunUp(ControlThread* self) {
  self->grant.store(kNone);
  g_carrier->Unpark(g_spinner);
}

void AskForHandler(int os_id) { Sys(SYS_tgkill, Sys(SYS_getpid), os_id, PreemptSignal()); }

void AskForPreemption() {
  long process = Sys(SYS_getpid);
  Sys(SYS_tgkill, process, process, PreemptSignal());
}

}  // namespace heddle::rt::control
