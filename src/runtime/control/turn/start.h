// What the options ask for, made.
#pragma once

#include "runtime/control/turn/control_thread.h"
#include "sched/strategy.h"
#include "wire/control_words.h"

namespace heddle::rt::control {

// The strategy for when a schedule has ended (option `then`).
sched::Strategy* StrategyBehind();

// A strategy for one execution of a search that samples, with the seed of the options.
sched::Strategy* MakeSampler(wire::Strategy strategy);

// Whether the steps of a schedule are enforced.
bool IsReplay();

// Files of a replay, as the environment names them.
struct ReplayFiles {
  const char* steps;
  const char* schedule;
  const char* calls;
};
// In a process that took a checkpoint up (replay/checkpoint.h), with the turn: all threads are fibers from now on, and
// do what the schedule says.
bool BecomeReplay(ControlThread* self, const ReplayFiles& files);

// Whether it is time to look for threads that wait for each other: the strategy `steer` has led them to all places of
// its cycle, or a schedule that did has ended.
bool MayBeStuck();

// The main thread is known: it has the turn until its first visible operation.
void AdoptMainThread();

}  // namespace heddle::rt::control
