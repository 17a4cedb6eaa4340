// Threads that wait for each other when the program ends although others went on: the greatest set in which each waits
// for a lock whose holders are all in the set, or for the end of a thread in it.
#pragma once

#include "runtime/control/turn/control_thread.h"
#include "sched/thread_set.h"

namespace heddle::rt::control {

// `self` has the turn and is about to end the process.
const sched::ThreadSet& FindStuck(ControlThread* self);

// The same under an informed strategy while the program runs: `self` stands before its next operation.
const sched::ThreadSet& FindStuckNow(const ControlThread* self);

}  // namespace heddle::rt::control
