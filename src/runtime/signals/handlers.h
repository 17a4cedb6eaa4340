// The program's signal handlers, for controlled scheduling and for those who look for deadlocks.
#pragma once

#include <signal.h>

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

// The program's own handler, with or without the bookkeeping that tells a mode of it.
void CallHandler(int number, siginfo_t* info, void* context);
void RunHandler(int number, siginfo_t* info, void* context);
// Undoes the innermost handler's bookkeeping.
void LeaveHandler(Thread* thread);

// What the program asked for, 0 < number < kSignals; changed only while a DispositionsHolder lives.
inline constexpr int kSignals = 65;
class DispositionsHolder {
 public:
  DispositionsHolder();
  ~DispositionsHolder();
  DispositionsHolder(const DispositionsHolder&) = delete;
  DispositionsHolder& operator=(const DispositionsHolder&) = delete;
};
bool IsHandler(const struct sigaction& action);
struct sigaction Disposition(int number);
void SetDisposition(int number, const struct sigaction& action);

}  // namespace heddle::rt
