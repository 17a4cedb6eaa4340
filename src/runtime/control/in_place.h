// Executions of a search one after the other in one process, without fork: what an execution wrote is copied back
// (memory/snapshot.h), and the process goes on at the place where the first one began.
//
// Only memory comes back. So an execution here must change nothing else: every system call, by whatever code, comes to
// a handler first (syscall user dispatch), which performs those that change nothing and gives up on the others. Giving
// up ends the process; the server performs the same execution once more in a copy of its own (explore_server.cpp). The
// same happens when an execution crashes. So executions in place are exactly those that fork would give, or are not
// counted.
#pragma once

#include <cstdint>

namespace heddle::rt::control {

// Whether executions of this process are restarted by restoring memory.
extern bool g_in_place;

// In a copy of the server: returns once for each execution, with its request in the link. False when this machine
// cannot (no syscall user dispatch): then it returns once.
bool BeginInPlace();

// The execution under way is over, and what it has to tell is in the link; `status` is as wait4 says it. The next one
// begins behind BeginInPlace.
[[noreturn]] void EndInPlace(int status);
// The detector needs the shadow of a region: the server makes it, and the execution is performed again.
[[noreturn]] void WantRegion(uint64_t address);
// The process is to end for good: its system calls are its own again.
void LeaveInPlace();

}  // namespace heddle::rt::control
