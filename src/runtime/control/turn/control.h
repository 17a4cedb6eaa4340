// Controlled scheduling: one thread at a time performs a visible operation, and a strategy says which
// (docs/control-design.md; the Wait/Tick protocol of "Dynamic Analysis for Concurrent Modern C/C++ Applications",
// section 4.3). It is independent of what watches the program: interceptors call Take before an operation and Done
// behind it, the mode's hooks are called between the two.
//
//   Take(point)      waits until the calling thread has the turn
//   Block(object)    the operation cannot be performed now: passes the turn on, returns with it when that may have
//                    changed. Not a step.
//   Done(...)        the operation was performed: one step of the schedule; the turn goes to whom the strategy picks
//
// The thread that has the turn is inside a RuntimeScope, so signals wait until Done. Everything here is called by the
// thread that it concerns unless it says otherwise. Threads that heddle did not see created are not scheduled: for them
// the calls do nothing.
#pragma once

#include <cstdint>

#include "runtime/mode.h"
#include "runtime/op.h"
#include "runtime/threads/thread.h"
#include "sched/next_op.h"
#include "sched/operation.h"
#include "wire/control_words.h"

namespace heddle::rt::control {

using wire::Visible;

// Constant once the runtime has started.
extern Visible g_visible;

inline bool On() { return __builtin_expect(static_cast<long>(g_controlled), 0) != 0; }

// Reads the options and the schedule to enforce. False, with a message, when that is not possible.
bool Start();

// Whether the calling thread is scheduled.
inline bool Controlled() { return On() && t_hot.thread != nullptr && t_hot.thread->control != nullptr; }

// An operation that a thread stands before: what strategies are told, and how to ask whether it could be performed now.
// `ready` does nothing else, and may be called by another thread. Null: yes, or only an attempt can tell.
struct Point : sched::NextOp {
  bool (*ready)(const void* context) = nullptr;
  const void* context = nullptr;
};

// Field `detail` of an atomic operation's point.
struct AtomicDetail {
  uint8_t bytes;
  RmwOp how;
  uint8_t Pack() const { return static_cast<uint8_t>(bytes | static_cast<uint8_t>(how) << 5U); }
  static AtomicDetail Unpack(uint8_t detail) {
    return {static_cast<uint8_t>(detail & 31U), static_cast<RmwOp>(detail >> 5U)};
  }
};

inline Point PointOf(const Op& op) {
  Point point;
  point.operation = static_cast<uint8_t>(op.kind);
  point.address = op.address;
  point.pc = op.pc;
  point.arg = op.arg;
  point.detail = static_cast<uint8_t>(op.detail);
  return point;
}
inline Point PointOf(uint8_t operation, uint64_t address, const void* pc) {
  Point point;
  point.operation = operation;
  point.address = address;
  point.pc = reinterpret_cast<uint64_t>(pc);
  return point;
}

void Take(const Point& point);
// With the turn: the operation is about to be performed on memory. A search wants to know what it finds there.
void NoteMemoryBefore();
void Block(uint64_t object);
// The same until a logical time, which passes while the thread waits. False, at once, when it has come.
bool BlockUntil(uint64_t object, uint64_t logical);
// As Block, when nothing but a Wake of this object can let it go on, and Point::ready says whether it did: the thread
// gets the turn only then.
void BlockUntilReady(uint64_t object);
// `idle`: the operation changed nothing that another thread could see (a load, a failed attempt).
void Done(Outcome outcome = Outcome::Success, bool idle = false);

// A handler of the program keeps the turn until it performs an operation (signals.h). One that is about to wait in the
// kernel gives it up; nothing happens when the thread has no turn.
void LeaveTurn();

// Around one access that the thread's own code performs in its turn. It may fault: a handler that performs operations
// or jumps away has the turn for them, and then the access is no step.
void BeginAccess(const Point& point);
void EndAccess();

// First come, first served only: the turn was taken in vain, and goes on without a step.
void PutBack();

// Another `arg` for the step under way: what was not known before it.
void SetStepArgument(uint64_t arg);
// Another operation for the step under way: a wait that turned out to end by cancellation, ...
void SetStepOperation(uint8_t operation);
// Threads that Block made wait for the object may try again. With the turn.
void Wake(uint64_t object);
// The calling thread would rather let others go first. With the turn.
void HintYield();

// An atomic operation while atomics are not visible: many in a row are a point to switch at, or spinning would hang.
void CountInvisible(const void* pc);

// Locks for reports. With the turn.
void Holds(uint64_t lock, uint64_t pc, LockDetail how);
void Drops(uint64_t lock);

// Whether the strategy is physical: waits end by the clock and threads come as they come.
bool RealTime();

}  // namespace heddle::rt::control
