// Inside the scheduler: what its three parts share. scheduler.cpp decides who goes next, turn.cpp is how a thread gets
// and gives the turn, thread_life.cpp is its beginning and end.
#pragma once

#include "runtime/control/turn/scheduler.h"

namespace heddle::rt::control {

extern sched::NextOp g_next[sched::kMaxSlots];  // where each thread stands
extern uint32_t g_last;                         // the slot that performed the last step
extern bool g_free;                             // the turn is nobody's; the next to come has it
extern ControlThread* g_head;                   // of the queue of arrivals

// What the strategy and the carrier answered, for the hot path.
extern bool g_by_arrival;
extern bool g_informed;
extern bool g_plain_places;  // some plain accesses are points (plain_access.h)
extern bool g_on_fibers;
inline bool ByArrival() { return g_by_arrival; }
// Plain accesses happen behind the call that announces them: the thread keeps the turn until it comes again.
inline bool Informed() { return g_informed || g_visible == Visible::kAll || g_plain_places; }

// Fibers are never run at the same time.
class StateHolder {
 public:
  StateHolder() {
    if (!g_on_fibers) g_lock.Lock();
  }
  ~StateHolder() {
    if (!g_on_fibers) g_lock.Unlock();
  }
  StateHolder(const StateHolder&) = delete;
  StateHolder& operator=(const StateHolder&) = delete;
};

// With g_lock held.
void Enqueue(ControlThread* thread);
// The turn, which is free: the thread leaves the queue if it is there.
void TakeFreeTurn(ControlThread* thread);
void Unblock(ControlThread* thread);
void MarkBlocked(ControlThread* thread, uint64_t object);
void ForgetBlocked();  // nobody waits any more

void GrantTurn(ControlThread* thread, uint32_t what);
// Who goes next, for a thread that has the turn; null when nobody can and the turn is free.
ControlThread* PickNext(ControlThread* self);
// Whom the strategy picks among the enabled threads (by arrival: the first of the queue); null when there is none. Then
// `comes` says whether somebody is under way, of the same moment: a thread that arrives between two questions would
// count for neither, and the others would be called a deadlock.
ControlThread* AskStrategy(bool* comes);
// Fibers: others run until this thread is granted the turn again.
void AwaitResume(ControlThread* self);
// Gives the turn to whom the strategy picks.
void PassTurn(ControlThread* self);

void SetPoint(ControlThread* self, const Point& point);
void LogStep(ControlThread* self, Outcome outcome);

}  // namespace heddle::rt::control
