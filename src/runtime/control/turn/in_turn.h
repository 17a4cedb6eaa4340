// The shapes of visible.h under control: the same operation, performed when the strategy says so.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cerrno>

#include "runtime/control/turn/control.h"
#include "runtime/detect/check_object.h"
#include "runtime/mode.h"

namespace heddle::rt::control {

// How an operation waits. All may be left out.
struct WaitHow {
  bool (*ready)(const void* context) = nullptr;  // Point::ready
  const void* context = nullptr;
  bool (*fails)(const void* context) = nullptr;  // the wait would not wait but fail (a lock that checks for errors)
  const timespec* until = nullptr;               // a timed wait: its end
  clockid_t clock = CLOCK_REALTIME;
  bool by_signal = false;    // a signal handler may end it
  bool cancellable = false;  // a cancellation point
};

// Whether a cancellation of this thread was asked for and is enabled.
bool CancelWanted();
// Gives the turn up for good and lets the cancellation happen.
void ActOnCancel();

enum class Waited : uint8_t { Again, TimedOut, Interrupted };
// The attempt failed: waits, as `how` says, until another makes sense.
Waited BlockFor(uint64_t object, const WaitHow& how);

inline bool BadTime(const timespec* until) {
  return until != nullptr && (until->tv_nsec < 0 || until->tv_nsec >= 1'000'000'000);
}

// Inits say nothing to other threads: nobody can use the object before.
inline bool IsPoint(Kind kind) {
  return kind != Kind::LockInit && kind != Kind::CondInit && kind != Kind::SemInit && kind != Kind::BarrierInit;
}

inline void NoteLock(const Op& op) {
  if (op.kind == Kind::Unlock) Drops(op.address);
  if (op.kind == Kind::Lock && op.result == static_cast<uint8_t>(Outcome::Success)) {
    Holds(op.address, op.pc, LockDetail::Unpack(op.detail));
  }
}

template <typename Try, typename Wait>
__attribute__((noinline)) int AcquireInTurn(Op op, Try try_now, Wait wait, const WaitHow& how) {
  detect::CheckObject(op);
  Point point = PointOf(op);
  point.ready = how.until == nullptr ? how.ready : nullptr;
  point.timed = how.until != nullptr;
  point.context = how.context;
  bool told = false;
  Take(point);
  if (how.cancellable && CancelWanted()) {
    ActOnCancel();
    Take(point);  // it did not happen after all
  }
  int error = try_now();
  while (OutcomeOf(error) == Outcome::Busy) {
    if (BadTime(how.until) || (how.fails != nullptr && how.fails(how.context))) {
      error = wait();
      break;
    }
    if (!told) g_hooks.blocked(op);
    told = true;
    Waited waited = BlockFor(op.address, how);
    if (waited == Waited::Again) {
      error = try_now();
    } else {
      error = waited == Waited::TimedOut ? ETIMEDOUT : EINTR;
    }
  }
  op.result = static_cast<uint8_t>(OutcomeOf(error));
  g_hooks.commit(op);
  NoteLock(op);
  Done(OutcomeOf(error), error != 0);
  return error;
}

template <typename Call>
__attribute__((noinline)) int ReleaseInTurn(const Op& op, Call call) {
  detect::CheckObject(op);
  Take(PointOf(op));
  g_hooks.commit(op);
  int error = call();
  if (error != 0) g_hooks.amend(OutcomeOf(error));
  NoteLock(op);
  Wake(op.address);
  Done(OutcomeOf(error));
  return error;
}

template <typename Call>
__attribute__((noinline)) int ObserveInTurn(Op op, Call call) {
  detect::CheckObject(op);
  Take(PointOf(op));
  int error = call();
  op.result = static_cast<uint8_t>(OutcomeOf(error));
  g_hooks.commit(op);
  NoteLock(op);
  Done(OutcomeOf(error), error != 0);
  return error;
}

// A call whose order matters and that no mode hears of. Returns what it returns.
template <typename Call>
auto CallInTurn(uint8_t operation, uint64_t address, const void* pc, Call call) {
  Take(PointOf(operation, address, pc));
  auto result = call();
  int error = errno;
  Done();
  errno = error;
  return result;
}

}  // namespace heddle::rt::control
