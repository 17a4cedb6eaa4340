#include "runtime/control/turn/in_turn.h"

#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/others.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/signals.h"

namespace heddle::rt::control {

bool CancelWanted() {
  const ControlThread* self = Self();
  if (self == nullptr || !self->cancel_asked) return false;
  int state = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  pthread_setcancelstate(state, nullptr);
  return state == PTHREAD_CANCEL_ENABLE;
}

void ActOnCancel() {
  SetStepOperation(sched::kCancelled);
  Done();
  pthread_testcancel();
}

Waited BlockFor(uint64_t object, const WaitHow& how) {
  ControlThread* self = Self();
  if (self == nullptr) return Waited::Again;
  if (how.cancellable && CancelWanted()) {
    Point point = self->point;
    ActOnCancel();
    Take(point);  // it did not happen after all
    return Waited::Again;
  }
  // Asked here and not behind Block, so that it makes no difference whether the handler ran before the first attempt
  // (as it does in a replay) or later.
  if (how.by_signal && Interrupted(self, true)) return Waited::Interrupted;
  if (how.until != nullptr && !WaitsLast()) {
    // Whoever waits with a limit is never disabled: being picked means that the time is up.
    PassTime(self, LogicalOf(how.clock, *how.until));
    return Waited::TimedOut;
  }
  if (how.until != nullptr && g_virtual_time) {
    uint64_t until = LogicalOf(how.clock, *how.until);
    self->by_signal = how.by_signal;
    bool in_time = BlockUntil(object, until);
    self->by_signal = false;
    return in_time ? Waited::Again : Waited::TimedOut;
  }
  if (how.until != nullptr) {
    self->deadline = RealDeadline(how.clock, *how.until);
    if (self->deadline <= RealNow()) return Waited::TimedOut;
    self->timed = true;
  }
  self->by_signal = how.by_signal;
  how.ready == nullptr || how.until != nullptr ? Block(object) : BlockUntilReady(object);
  self->by_signal = false;
  return Waited::Again;
}

}  // namespace heddle::rt::control
