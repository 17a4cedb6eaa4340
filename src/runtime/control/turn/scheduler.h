// The scheduler's inside: who may go on, whose turn it is. control.h is what interceptors see.
//
// State is touched by the thread that has the turn, and (arrivals, signals, the watchdog) under g_lock. Invariants:
//  - At most one thread has grant kPerform, kChoose or kHeld; when none has, the strategy is by arrival and the turn is
//    free (for the first of the queue too, which was woken for it), or the turn's last holder is waiting for something
//    outside (outside.h).
//  - A live thread is in g_enabled unless it is blocked or away. Unless the strategy is by arrival, a thread becomes
//    blocked only in its own turn and enabled again only in another's, so the set depends on the schedule alone.
#pragma once

#include "runtime/control/carrier/carrier.h"
#include "runtime/control/turn/control_thread.h"
#include "runtime/spin.h"
#include "sched/strategy.h"
#include "sched/thread_set.h"

namespace heddle::rt::control {

extern SpinLock g_lock;
extern Carrier* g_carrier;
extern sched::Strategy* g_strategy;
extern sched::ThreadSet g_enabled;
extern ControlThread* g_slots[sched::kMaxSlots];
extern uint32_t g_slot_limit;  // slots from here on were never used
extern uint32_t g_live;
extern uint64_t g_steps;

// A thread that is about to be created, with the turn (or before there are threads). Null when all slots are taken.
ControlThread* AddThread(Thread* thread);
// pthread_create failed: it never was.
void ForgetThread(ControlThread* thread);
// The new thread's first words; returns with its begin performed.
void BeginThread(Thread* thread);
// The calling thread's last ones, around the mode's hook.
void EndBegins();
// True: all threads have ended, and the caller, which is the main thread, has to end the process.
bool EndThreadTurn();
// Takes the turn for good: the process ends.
void EndAll();
// In a child of fork.
void OnlyThread();

// Lets a thread be picked again. Any thread may call it, with g_lock held.
void Enable(ControlThread* thread);
// The same for one that something outside the program wakes.
void EnableFromOutside(ControlThread* thread);

// A signal for the calling thread waits (called in the handler).
void SignalArrived();

// The thread of a number, while it is known; null otherwise.
ControlThread* ThreadOfNumber(uint32_t number);

// The watchdog's: takes the turn from a thread that has not come for it, if another can go on. False: it
// keeps it. Without g_lock.
bool PassOver(ControlThread* thread);
// In a replay: the thread has the turn from a signal handler, and the next step is another's. Passes the turn on; false
// when it is not so.
bool YieldToSchedule(ControlThread* self);

// The calling thread is about to block outside; it does not take part until its next Take. With the turn, before Done.
void GoAway();

// At the start: what decides and what carries.
void UseStrategy(sched::Strategy* strategy, Carrier* carrier);
// Another strategy from now on; with the turn.
void SwitchStrategy(sched::Strategy* strategy);

template <typename Visit>
void ForEachLive(Visit visit) {
  for (uint32_t i = 0; i < g_slot_limit; ++i) {
    if (g_slots[i] != nullptr && !g_slots[i]->ended) visit(g_slots[i]);
  }
}

// A key for Block that no address is: the end of a thread, input.
inline constexpr uint64_t JoinKey(uint32_t number) { return (uint64_t{1} << 63U) | number; }
inline constexpr uint64_t kDescriptorKey = (uint64_t{1} << 63U) | (uint64_t{1} << 40U);
inline constexpr uint64_t kSignalKey = (uint64_t{1} << 63U) | (uint64_t{1} << 42U);
inline constexpr uint64_t kForeverKey = (uint64_t{1} << 63U) | (uint64_t{1} << 41U);

}  // namespace heddle::rt::control
