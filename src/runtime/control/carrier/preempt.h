// Fibers share one OS thread, so one that computes without visible operations would stop all others. The watchdog then
// sends that OS thread a signal; its handler switches to another fiber, if the interrupted code is the program's own:
// code of libraries may hold locks that nobody else sees. The fiber stays enabled and goes on, inside the handler, when
// it is picked.
//
// In a replay the turn is not given away: fibers that rest behind their last operation run up to their next one, since
// what the spinning one waits for may lie between the two.
//
// The same signal lets a thread that computes for long run a handler of the program that waits for its next visible
// operation (control/turn/signals.h): the place where it is becomes one, a `yield`.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::rt::control {

struct ControlThread;

// A fiber that was preempted before is running again, and is given less time: the number of steps then, from 1.
extern std::atomic<uint64_t> g_spinner_runs;

// Once, with the watchdog.
void InstallPreemption();
// By the watchdog: nothing has happened for a while. Fibers: whichever runs; else the thread of that OS id.
void AskForPreemption();
void AskForHandler(int os_id);
// In a replay, by the fiber that runs: those that rest behind their last operation come to their next one, one after
// the other.
void RunOthersUp(ControlThread* self);
// `self` was told to run up: the fiber that spins goes on when it comes to an operation.
void RunUp(ControlThread* self);

}  // namespace heddle::rt::control
