// How a thread gets the turn, performs one step, and gives the turn on (control.h; the Wait/Tick protocol).
//
// Take notes the point and waits for a grant. With the turn, signals that came for the thread run first, each as a step
// of its own. The operation is then attempted: when it cannot be performed, Block marks the thread, passes the turn and
// waits again, which is no step; when it was, Done counts the step, tells the strategy and gives the turn on. An
// informed strategy picks when the thread has come to its next operation, so the turn is kept until then (kChoose).
//
// Every change of `grant` that others may race with is a compare-and-exchange from the value that was read: a signal, a
// dump or being passed over may come at any moment while a thread waits.
#include <sys/syscall.h>

#include "runtime/control/carrier/preempt.h"
#include "runtime/control/replay/checkpoint.h"
#include "runtime/control/replay/debug_view.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/replay/step_log.h"
#include "runtime/control/report/deadlock.h"
#include "runtime/control/report/places.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/control/turn/signals.h"
#include "runtime/control/turn/wait_outside.h"
#include "runtime/options.h"
#include "runtime/raw_syscall.h"
#include "runtime/signals/handlers.h"

namespace heddle::rt::control {
namespace {

// A thread that does so many steps in a row, or so many without effect, is taken to spin.
constexpr uint32_t kRowLimit = 20000;
constexpr uint32_t kIdleLimit = 32;
constexpr uint32_t kInvisibleLimit = 1000;
uint32_t g_row = 0;  // steps in a row by g_last

// By arrival: takes the turn if it is free, else queues.
void Arrive(ControlThread* self) {
  StateHolder hold;
  if (g_free) {
    TakeFreeTurn(self);
  } else if (!self->queued) {
    Enqueue(self);
  }
}

// The turn was offered to this thread, which slept. Somebody else may have it by now, or have given it to this thread,
// which then left the queue.
void TryOffered(ControlThread* self) {
  StateHolder hold;
  if (g_free && self->queued) TakeFreeTurn(self);
}

// A signal came for a thread that waits: it is enabled, so that the handler can run when it is picked.
void EnableForSignal(ControlThread* self) {
  EnableFromOutside(self);
  if (ByArrival() && self->grant.load() == kNone) Arrive(self);
}

void TimeIsUp(ControlThread* self) {
  StateHolder hold;
  if (!self->blocked || self->grant.load() != kNone) return;
  self->timed = false;
  Unblock(self);
  g_enabled.Add(self->slot);
  if (g_free) {
    TakeFreeTurn(self);
  } else if (ByArrival()) {
    Enqueue(self);
  }
}

// Returns with grant kHeld, and what it was before.
uint32_t AwaitGrant(ControlThread* self) {
  for (;;) {
    uint32_t grant = self->grant.load(std::memory_order_acquire);
    switch (grant) {
      case kPerform:
      case kChoose:
        if (self->grant.compare_exchange_strong(grant, kHeld)) return grant;
        break;
      case kSignal:
        if (self->grant.compare_exchange_strong(grant, kNone)) EnableForSignal(self);
        break;
      case kPassed:
        if (self->grant.compare_exchange_strong(grant, kNone)) EnableFromOutside(self);
        break;
      case kArrive:
        if (self->grant.compare_exchange_strong(grant, kNone)) Arrive(self);
        break;
      case kTry:
        if (self->grant.compare_exchange_strong(grant, kNone)) TryOffered(self);
        break;
      case kDump:
        if (self->grant.compare_exchange_strong(grant, kNone)) DumpStack(self);
        break;
      default:
        if (self->timed && RealNow() >= self->deadline) {
          TimeIsUp(self);
        } else {
          g_carrier->Park(self, self->timed ? self->deadline : 0);
        }
    }
  }
}

void CountStep(ControlThread* self, Outcome outcome) {
  LogStep(self, outcome);
  AdvanceTime(self);
  g_last = self->slot;
  g_strategy->Performed(self->slot, g_next[self->slot]);
}

// Whether code of the program runs in another thread.
bool OthersRun(const ControlThread* self) {
  bool runs = false;
  StateHolder hold;
  ForEachLive([&runs, self](const ControlThread* thread) {
    runs = runs || (thread != self && !thread->away && !thread->blocked && !thread->stands.load());
  });
  return runs;
}

// A handler sets flags that others look at without an operation. So it runs when they have come to their next one, in
// the recording and in the replay alike, unless one computes for long.
void AwaitOthers(const ControlThread* self, uint64_t nanoseconds) {
  if (g_on_fibers) return;
  uint64_t end = RealNow() + nanoseconds;
  while (OthersRun(self) && RealNow() < end) {
    timespec pause{0, 20'000};
    Sys(SYS_nanosleep, &pause, nullptr);
  }
}

// A step of its own, so that a schedule says where it happened; then the handler runs as part of this thread, which
// keeps the turn until the handler performs an operation or ends.
void RunHandlerInTurn(ControlThread* self, PendingSignal& signal) {
  Point point = self->point;
  SignalCount before = self->signals_at_take;
  bool until_ready = self->until_ready;
  self->until_ready = false;
  uint32_t depth = t_hot.in_runtime;
  SetPoint(self, PointOf(sched::kHandler, 0, HandlerCode(signal.number)));
  if (Replaying()) CheckStep(self);
  constexpr uint64_t kMost = 2'000'000;
  constexpr uint64_t kMostInReplay = 50'000'000;
  AwaitOthers(self, Replaying() ? kMostInReplay : kMost);
  CountStep(self, Outcome::Success);
  uint64_t steps = g_steps;
  ++self->signals.all;
  if (!HandlerRestarts(signal.number)) ++self->signals.interrupting;
  self->grant.store(kPerform);
  t_hot.in_runtime = 0;
  RunHandlerOf(signal);
  t_hot.in_runtime = depth;
  SetPoint(self, point);
  self->signals_at_take = before;
  self->until_ready = until_ready;
  if (self->away) EnableFromOutside(self);
  uint32_t held = kPerform;
  // A turn that was given meanwhile is for the operation that the thread stands before.
  bool performed = __atomic_load_n(&g_steps, __ATOMIC_RELAXED) != steps;
  bool has_turn = !performed && self->grant.compare_exchange_strong(held, kNone);
  if (ByArrival() && self->grant.load() == kNone) Arrive(self);
  if (has_turn) PassTurn(self);
}

// Waits for the turn, and for being the one to perform.
void Obtain(ControlThread* self) {
  PendingSignal signal;
  do {
    self->stands.store(true);
    while (AwaitGrant(self) == kChoose) {
      self->grant.store(kNone, std::memory_order_relaxed);
      PassTurn(self);
    }
    if (!NextSignal(self, &signal)) break;
    self->stands.store(false);
    RunHandlerInTurn(self, signal);
  } while (true);
  self->stands.store(false);
  if (Replaying()) CheckStep(self);
  if (g_options.until != 0 && g_steps + 1 == g_options.until) {
    // Another thread may be behind its last operation still, and the end of the recorded run be what comes there.
    constexpr uint64_t kMostToEnd = 2'000'000'000;
    if (g_on_fibers) {
      RunOthersUp(self);
    } else {
      AwaitOthers(self, kMostToEnd);
    }
    ReportStopped(self);
  }
}

void CountSpinning(ControlThread* self, bool idle) {
  if (g_last == self->slot) {
    if (++g_row >= kRowLimit) {
      g_strategy->Yields(self->slot);
      g_row = 0;
    }
  } else {
    g_row = 0;
  }
  self->idle_steps = idle ? self->idle_steps + 1 : 0;
  if (self->idle_steps >= kIdleLimit) {
    self->idle_steps = 0;
    g_strategy->Yields(self->slot);
  }
}

void GiveTurn(ControlThread* self) {
  if (Informed() && !ByArrival() && !self->away) {
    self->grant.store(kChoose, std::memory_order_release);
    return;
  }
  self->grant.store(kNone, std::memory_order_relaxed);
  PassTurn(self);
  if (g_on_fibers && !ByArrival() && !g_options.eager) AwaitResume(self);
}

}  // namespace

void AwaitResume(ControlThread* self) {
  self->resting = true;
  for (;;) {
    uint32_t grant = self->grant.load(std::memory_order_relaxed);
    if (grant == kDump) {
      self->grant.store(kNone, std::memory_order_relaxed);
      DumpStack(self);
    } else if (grant == kSignal) {
      self->grant.store(kNone, std::memory_order_relaxed);
      EnableFromOutside(self);
    } else if (grant != kNone) {
      self->resting = false;
      if (grant == kRunUp) RunUp(self);
      return;
    }
    g_carrier->Park(self, 0);
  }
}

void SetPoint(ControlThread* self, const Point& point) {
  self->point = point;
  sched::NextOp& next = g_next[self->slot];
  next = point;
  next.waits = point.ready != nullptr;
  if (HavePlaces()) next.places = PlacesHere(self, point);
}

void LogStep(ControlThread* self, Outcome outcome) {
  AppendStep(self->number, self->point.operation, static_cast<uint8_t>(outcome), self->point.pc);
  ++g_steps;
  if (Replaying()) StepPerformed();
  StopAtStep(g_steps);
}

void SignalArrived() {
  ControlThread* self = Self();
  if (self == nullptr) return;
  uint32_t none = kNone;
  if (self->grant.compare_exchange_strong(none, kSignal)) WakeOutside();
}

bool YieldToSchedule(ControlThread* self) {
  uint32_t held = kPerform;
  if (IsNextInSchedule(self) || !self->grant.compare_exchange_strong(held, kNone)) return false;
  RuntimeScope scope;
  PassTurn(self);
  return true;
}

void Take(const Point& point) {
  ControlThread* self = Self();
  RuntimeScope::Enter();
  if (self == nullptr) return;
  if (self->in_access) {  // a handler interrupted it, or jumped away
    self->in_access = false;
    self->grant.store(kPerform);
  }
  SetPoint(self, point);
  self->invisible = 0;
  self->signals_at_take = self->signals;
  if (self->away) EnableFromOutside(self);
  if (Replaying()) YieldToSchedule(self);
  if (ByArrival() && self->grant.load() == kNone) Arrive(self);
  Obtain(self);
}

void Block(uint64_t object) {
  ControlThread* self = Self();
  if (self == nullptr) return;
  if (Replaying()) DivergeBlocked(self);
  {
    StateHolder hold;
    MarkBlocked(self, object);
  }
  self->grant.store(kNone);
  if (t_hot.pending != 0) {  // it came while the thread had the turn
    StateHolder hold;
    Enable(self);
  }
  PassTurn(self);
  Obtain(self);
  self->timed = false;
}

bool BlockUntil(uint64_t object, uint64_t logical) {
  ControlThread* self = Self();
  if (self == nullptr || self->now >= logical) return false;
  uint64_t start = RealNow();
  self->deadline = start + (logical - self->now);
  self->timed = true;
  Block(object);
  PassTime(self, self->now + (RealNow() - start));
  return true;
}

void BlockUntilReady(uint64_t object) {
  ControlThread* self = Self();
  if (self == nullptr) return;
  self->until_ready = true;
  Block(object);
  self->until_ready = false;
}

void Done(Outcome outcome, bool idle) {
  ControlThread* self = Self();
  if (self != nullptr) {
    CountSpinning(self, idle);
    if (idle) g_next[self->slot].writes = false;
    if (Exploring()) NoteRoundEffect(self, idle);
    CountStep(self, outcome);
    PollOutside();
    PollCheckpoint(self, g_steps);
    GiveTurn(self);
  }
  RuntimeScope::Leave();
}

void BeginAccess(const Point& point) {
  Take(point);
  NoteMemoryBefore();
  if (ControlThread* self = Self()) self->in_access = true;
  RuntimeScope::Leave();
}

void EndAccess() {
  ControlThread* self = Self();
  if (self == nullptr || !self->in_access) return;
  self->in_access = false;
  RuntimeScope::Enter();
  Done(Outcome::Success, !self->point.writes);
}

void PutBack() {
  ControlThread* self = Self();
  if (self != nullptr) {
    self->grant.store(kNone);
    PassTurn(self);
  }
  RuntimeScope::Leave();
}

void LeaveTurn() {
  ControlThread* self = Self();
  uint32_t held = kPerform;
  if (self == nullptr || !self->grant.compare_exchange_strong(held, kNone)) return;
  RuntimeScope scope;
  PassTurn(self);
}

void SetStepOperation(uint8_t operation) {
  ControlThread* self = Self();
  if (self == nullptr) return;
  self->point.operation = operation;
  g_next[self->slot].operation = operation;
}

void SetStepArgument(uint64_t arg) {
  ControlThread* self = Self();
  if (self != nullptr) g_next[self->slot].arg = arg;
}

void NoteMemoryBefore() {
  ControlThread* self = Self();
  if (self == nullptr || g_strategy == nullptr || !Informed()) return;
  sched::NextOp& next = g_next[self->slot];
  auto* word = reinterpret_cast<const uint64_t*>(next.address & ~uint64_t{7});  // NOLINT: the program's memory
  next.before = __atomic_load_n(word, __ATOMIC_RELAXED);
}

void HintYield() {
  ControlThread* self = Self();
  if (self != nullptr) g_strategy->Yields(self->slot);
}

void CountInvisible(const void* pc) {
  ControlThread* self = Self();
  if (self == nullptr || ++self->invisible < kInvisibleLimit) return;
  Take(PointOf(sched::kYield, 0, pc));
  HintYield();
  Done(Outcome::Success, true);
}

}  // namespace heddle::rt::control
