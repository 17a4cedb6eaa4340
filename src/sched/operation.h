// The operations of a schedule: the kinds of ordered trace events that are scheduling points, and those that only
// scheduling knows. The codes stand in files (step_format.h), the names in schedules. Freestanding.
#pragma once

#include <cstdint>

#include "trace/event_kind.h"

namespace heddle::sched {

// Codes below kFirstOwn are trace::Kind.
inline constexpr uint8_t kFirstOwn = 192;

#define HEDDLE_OWN_OPERATIONS(HEDDLE_OPERATION)                                               \
  HEDDLE_OPERATION(Any, "any")                /* in written schedules: whatever comes */      \
  HEDDLE_OPERATION(Sleep, "sleep")            /* sleeps of all kinds */                       \
  HEDDLE_OPERATION(Yield, "yield")            /* sched_yield, or many atomics in a row */     \
  HEDDLE_OPERATION(Print, "print")            /* stdio */                                     \
  HEDDLE_OPERATION(Call, "call")              /* another call whose order matters */          \
  HEDDLE_OPERATION(FutexSleep, "futex_sleep") /* the first half of a futex wait */            \
  HEDDLE_OPERATION(Cancel, "cancel")          /* pthread_cancel */                            \
  HEDDLE_OPERATION(Cancelled, "cancelled")    /* a wait that cancellation ends */             \
  HEDDLE_OPERATION(Access, "access")          /* a plain access, when those are visible */    \
  HEDDLE_OPERATION(OnceEnter, "once")         /* pthread_once and function-local statics */   \
  HEDDLE_OPERATION(Handler, "handler")        /* a signal handler of the program begins */    \
  HEDDLE_OPERATION(Choose, "choose")          /* the program asks for a number */             \
  HEDDLE_OPERATION(WantWrite, "want_write")   /* a writer queues; the lock prefers writers */ \
  HEDDLE_OPERATION(StopWait, "stop_wait")     /* a timed wait at a condition variable ends, without its mutex yet */

enum Own : uint8_t {
  kOwnBefore = kFirstOwn - 1,
#define HEDDLE_OPERATION(name, text) k##name,
  HEDDLE_OWN_OPERATIONS(HEDDLE_OPERATION)
#undef HEDDLE_OPERATION
      kOwnEnd
};

inline constexpr uint8_t Code(trace::Kind kind) { return static_cast<uint8_t>(kind); }

// The name of a code; null for what is none.
const char* OperationName(uint8_t code);
// The code of a name of `length` characters; 0 for what is none.
uint8_t OperationFromName(const char* name, uint32_t length);

}  // namespace heddle::sched
