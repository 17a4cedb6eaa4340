// Condition variables. A wait is two visible operations: CondWait gives the mutex back, CondWake has it again.
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/peek.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/waits.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

namespace heddle::rt {
namespace {

// The thread was cancelled inside the wait: it has the mutex again, and its clean-up handlers will run.
void WakeByCancellation(void* op) {
  auto* wake = static_cast<Op*>(op);
  wake->result = static_cast<uint8_t>(Outcome::Error);
  Commit(*wake);
}

template <typename Call>
int Wait(const void* cond, const void* mutex, Manner manner, const void* pc, Call call) {
  Op wait = MakeOp(Kind::CondWait, cond, pc, reinterpret_cast<uint64_t>(mutex));
  wait.detail = static_cast<uint8_t>(manner);
  Commit(wait);
  Op wake = MakeOp(Kind::CondWake, cond, pc, reinterpret_cast<uint64_t>(mutex));
  int error = 0;
  pthread_cleanup_push(WakeByCancellation, &wake);
  error = call();
  pthread_cleanup_pop(0);
  wake.result = static_cast<uint8_t>(OutcomeOf(error));
  Commit(wake);
  return error;
}

// Under control a wait is two turns: one gives the mutex back, the other has it again. In between the thread is blocked
// until it is signalled and the mutex is free. A wait with a limit is three: it stops waiting, signalled or because the
// time is up, before it has the mutex again. A signal that comes between those two is not for it.
struct CondPeek {
  const control::ControlThread* thread;
  control::LockPeek mutex;
};
bool HasMutex(const void* context) { return control::MutexFree(&static_cast<const CondPeek*>(context)->mutex); }
bool CanWake(const void* context) {
  return control::CanStopWaiting(static_cast<const CondPeek*>(context)->thread) && HasMutex(context);
}

bool TimeIsUp(clockid_t clock, const timespec& until) {
  return !control::RealTime() || control::RealDeadline(clock, until) <= control::RealNow();
}

// How a wait ended, as the turn in which the thread has the mutex again.
struct WaitEnd {
  int error = 0;
  bool cancelled = false;
};

WaitEnd EndWait(const Op& wake, pthread_mutex_t* mutex) {
  CondPeek peek{control::Self(), control::PeekAt(mutex)};
  control::Point point = control::PointOf(wake);
  point.ready = CanWake;
  point.context = &peek;
  control::Take(point);
  for (;;) {
    bool cancelled = control::CancelWanted();
    if (!cancelled && !control::CanStopWaiting(control::Self())) {
      control::Block(wake.address);
    } else if (REAL(pthread_mutex_trylock)(mutex) == EBUSY) {
      control::BlockUntilReady(wake.arg);
    } else {
      control::StopWaiting();
      return {0, cancelled};
    }
  }
}

// The turn in which a wait with a limit ends; the mutex is not needed for it.
WaitEnd StopInTime(const Op& wake, clockid_t clock, const timespec& until) {
  control::ControlThread* self = control::Self();
  control::Point point = control::PointOf(sched::kStopWait, wake.address,
                                          reinterpret_cast<const void*>(wake.pc));  // NOLINT: a code address
  point.timed = true;
  control::Take(point);
  WaitEnd end;
  for (;;) {
    end.cancelled = control::CancelWanted();
    if (end.cancelled || control::CanStopWaiting(self) || TimeIsUp(clock, until)) break;
    self->deadline = control::RealDeadline(clock, until);
    self->timed = true;
    control::Block(wake.address);
  }
  bool woken = control::StopWaiting();
  if (!woken && !end.cancelled) {
    end.error = ETIMEDOUT;
    control::PassTime(self, control::LogicalOf(clock, until));
  }
  control::Done(OutcomeOf(end.error));
  return end;
}

WaitEnd EndTimedWait(const Op& wake, pthread_mutex_t* mutex, clockid_t clock, const timespec& until) {
  WaitEnd end = StopInTime(wake, clock, until);
  CondPeek peek{control::Self(), control::PeekAt(mutex)};
  control::Point point = control::PointOf(wake);
  point.detail = control::kNeedsOnlyMutex;
  point.ready = HasMutex;
  point.context = &peek;
  control::Take(point);
  while (REAL(pthread_mutex_trylock)(mutex) == EBUSY) control::BlockUntilReady(wake.arg);
  return end;
}

int WaitInTurn(const void* cond, pthread_mutex_t* mutex, Manner manner, const void* pc, clockid_t clock,
               const timespec* until) {
  if (control::BadTime(until)) return EINVAL;
  Op wait = MakeOp(Kind::CondWait, cond, pc, reinterpret_cast<uint64_t>(mutex));
  wait.detail = static_cast<uint8_t>(manner);
  detect::CheckObject(wait);
  control::Take(control::PointOf(wait));
  g_hooks.commit(wait);
  int error = REAL(pthread_mutex_unlock)(mutex);
  if (error == 0) control::StartWaiting(wait.address);
  control::Drops(wait.arg);
  control::Wake(wait.arg);
  control::Done();
  if (error != 0) return error;
  Op wake = MakeOp(Kind::CondWake, cond, pc, wait.arg);
  WaitEnd end = until == nullptr ? EndWait(wake, mutex) : EndTimedWait(wake, mutex, clock, *until);
  wake.result = static_cast<uint8_t>(end.cancelled ? Outcome::Error : OutcomeOf(end.error));
  g_hooks.commit(wake);
  control::Holds(wake.arg, wake.pc, {});
  if (end.cancelled) {
    control::ActOnCancel();
    return 0;
  }
  control::Done();
  return end.error;
}

int SignalInTurn(const Op& op) {
  detect::CheckObject(op);
  control::Take(control::PointOf(op));
  g_hooks.commit(op);
  if (op.kind == Kind::CondBroadcast) {
    control::WakeAll(op.address);
  } else {
    control::WakeSome(op.address, 1);
  }
  control::Done();
  return 0;
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

// The clock that timed waits on it mean: bit 1 of glibc's flags.
static clockid_t ClockOf(const pthread_cond_t* cond) {
  return (cond->__data.__wrefs & 2U) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

HEDDLE_INTERCEPT int pthread_cond_init(pthread_cond_t* cond, const pthread_condattr_t* attributes) noexcept {
  if (Passive()) return REAL(pthread_cond_init)(cond, attributes);
  return Observe(MakeOp(Kind::CondInit, cond, HEDDLE_PC), [&] { return REAL(pthread_cond_init)(cond, attributes); });
}
HEDDLE_INTERCEPT int pthread_cond_destroy(pthread_cond_t* cond) noexcept {
  if (Passive()) return REAL(pthread_cond_destroy)(cond);
  return Release(MakeOp(Kind::CondDestroy, cond, HEDDLE_PC), [&] { return REAL(pthread_cond_destroy)(cond); });
}
HEDDLE_INTERCEPT int pthread_cond_signal(pthread_cond_t* cond) noexcept {
  if (Passive()) return REAL(pthread_cond_signal)(cond);
  if (control::Controlled()) return SignalInTurn(MakeOp(Kind::CondSignal, cond, HEDDLE_PC));
  return Release(MakeOp(Kind::CondSignal, cond, HEDDLE_PC), [&] { return REAL(pthread_cond_signal)(cond); });
}
HEDDLE_INTERCEPT int pthread_cond_broadcast(pthread_cond_t* cond) noexcept {
  if (Passive()) return REAL(pthread_cond_broadcast)(cond);
  if (control::Controlled()) return SignalInTurn(MakeOp(Kind::CondBroadcast, cond, HEDDLE_PC));
  return Release(MakeOp(Kind::CondBroadcast, cond, HEDDLE_PC), [&] { return REAL(pthread_cond_broadcast)(cond); });
}
// Not noexcept: cancellation unwinds through these.
HEDDLE_INTERCEPT int pthread_cond_wait(pthread_cond_t* cond, pthread_mutex_t* mutex) {
  if (Passive()) return REAL(pthread_cond_wait)(cond, mutex);
  if (control::Controlled()) return WaitInTurn(cond, mutex, Manner::Block, HEDDLE_PC, CLOCK_REALTIME, nullptr);
  return Wait(cond, mutex, Manner::Block, HEDDLE_PC, [&] { return REAL(pthread_cond_wait)(cond, mutex); });
}
HEDDLE_INTERCEPT int pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex, const timespec* until) {
  if (Passive()) return REAL(pthread_cond_timedwait)(cond, mutex, until);
  if (control::Controlled()) return WaitInTurn(cond, mutex, Manner::Timed, HEDDLE_PC, ClockOf(cond), until);
  return Wait(cond, mutex, Manner::Timed, HEDDLE_PC, [&] { return REAL(pthread_cond_timedwait)(cond, mutex, until); });
}
HEDDLE_INTERCEPT int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                                            const timespec* until) {
  if (Passive()) return REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
  if (control::Controlled()) return WaitInTurn(cond, mutex, Manner::Timed, HEDDLE_PC, clock, until);
  return Wait(cond, mutex, Manner::Timed, HEDDLE_PC,
              [&] { return REAL(pthread_cond_clockwait)(cond, mutex, clock, until); });
}
