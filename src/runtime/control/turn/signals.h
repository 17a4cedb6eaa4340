// Signals under control. A handler of the program runs in a turn of its thread: when it is about to perform an
// operation, before it does. So a signal has a place in the order of steps, whenever it came; a recording keeps that
// place, and a replay runs the handler there again and takes no others.
//
// Faults (SIGSEGV and the like, raised by an instruction) are not touched: they happen again by themselves.
#pragma once

#include <csignal>

#include "runtime/control/turn/control_thread.h"

namespace heddle::rt::control {

// In the kernel's handler, on a controlled thread: keeps the signal for later (or drops it, when a recording says what
// comes).
void SignalCame(int number, const siginfo_t* info);

// The program sends a signal that it handles to one of its threads. With the turn.
void SendSignal(ControlThread* target, int number);

// With the turn, before an operation: takes the signal whose handler is to run now. False: none.
bool NextSignal(ControlThread* self, PendingSignal* out);

// Since the operation under way began, a handler ran: calls that signals interrupt end. `restarts`: not if the handler
// was installed with SA_RESTART.
bool Interrupted(const ControlThread* self, bool restarts);

}  // namespace heddle::rt::control
