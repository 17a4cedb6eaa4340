// A thread that crashes in an explored execution. The crash needs nobody else and could have come at any later time, so
// the thread stops where it is and the others go on to their ends; then the process dies as it would have. That way an
// execution with a crash shows all that the other threads can do, and needs no special place in the search.
//
// A crash inside the runtime, or on a stack without room, ends the process at once (wire::LinkEnd::kRunning).
#pragma once

namespace heddle::rt::control {

// In a copy of the process: from now on.
void CatchCrashes();

// The calling thread is about to die by the signal; returns when that is not for the search to handle.
void StopCrashed(int signal, const void* pc);

// The end of an execution in which a thread crashed: does not return then.
void DieIfCrashed();

}  // namespace heddle::rt::control
