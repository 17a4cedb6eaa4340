// System calls of an execution in a copy of the process: all of them are made, and those through which threads or
// executions could tell each other something that the search does not know of are noted (gaps.h).
//
// Every system call that the runtime does not make itself comes to a handler first (syscall user dispatch). The list of
// known ones is in watched_calls.cpp: a call that is not on it is a gap.
#pragma once

namespace heddle::rt::control {

// In a copy, before its execution goes on. Nothing when the machine cannot (then that is the gap).
void WatchCalls();

}  // namespace heddle::rt::control
