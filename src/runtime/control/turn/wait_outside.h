// Waiting for what is not a thread of the program: input from other processes, signals, threads that the watchdog
// passed over.
#pragma once

#include <poll.h>

#include "runtime/control/turn/control_thread.h"

namespace heddle::rt::control {

// Called by the thread that has the turn when no thread can go on. Waits until that may have changed, and returns true;
// false when nothing outside can change it: a deadlock. `comes`: threads are under way.
bool WaitOutside(ControlThread* self, bool comes);

// Whether somebody waits for input from outside.
bool OthersMayAct();

// Ends a WaitOutside of another thread.
void WakeOutside();

// Behind a step: now and then, looks whether descriptors that threads wait for have become ready.
void PollOutside();

// Block until one of the descriptors may be ready. With the turn; `waits` stays alive meanwhile.
// Until a logical time at most; false when that has come.
inline constexpr uint64_t kForever = UINT64_MAX;
bool BlockOnDescriptors(pollfd* waits, uint32_t count, uint64_t until = kForever);

}  // namespace heddle::rt::control
