// The program's signal handlers, for controlled scheduling and for those who look for deadlocks.
#pragma once

#include "runtime/threads/thread.h"

namespace heddle::rt {

// Whether the program has ever asked for a signal handler: such a program may be woken by anything.
bool HandlersInstalled();

// Whether the program handles the signal now.
bool IsHandled(int number);
// Whether calls that its handler interrupts go on (SA_RESTART).
bool HandlerRestarts(int number);

const void* HandlerCode(int number);

// Runs the program's handler on the calling thread, with the signals blocked that it asked for. Outside the runtime.
void RunHandlerOf(PendingSignal& signal);

}  // namespace heddle::rt
