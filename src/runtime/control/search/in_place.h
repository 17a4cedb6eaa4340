// Executions of a search one after the other in one process, without fork: what an execution wrote is copied back
// (memory/snapshot.h), and the process goes on at the place where the first one began.
//
// Only memory comes back. So an execution here must change nothing else: every system call, by whatever code, comes to
// a handler first (syscall user dispatch), which performs those that change nothing and gives up on the others. In a
// copy of the server, giving up ends the process, and the server performs the same execution once more in a copy of its
// own (explore_server.cpp); the same happens when an execution crashes. So executions in place are exactly those that
// fork would give, or are not counted. Inside a test's own process (inside.h) giving up ends the search.
#pragma once

#include <cstdint>

namespace heddle::rt::control {

// Whether executions of this process are restarted by restoring memory.
extern bool g_in_place;

// What is done between two executions, on a stack of its own: tells what happened and takes the next request.
class Between {
 public:
  virtual void Answer() = 0;        // memory is still the execution's
  virtual void AwaitRequest() = 0;  // memory has been restored
  virtual bool in_process() const = 0;

 protected:
  ~Between() = default;
};

// Prepares what executions in place need, and keeps it. False when this machine cannot (no syscall user dispatch).
bool PrepareInPlace(Between* between);
// Returns once for each execution, with its request in the link. Fresh: the memory that is restored is that of now.
void BeginInPlace();
// From the next time that BeginInPlace returns: system calls and faults are the process's own again, memory stays as it
// is.
void LeaveInPlace();
// Memory that executions may write and that stays.
void SpareInPlace(const void* begin, uint64_t bytes);

// Between executions: the word at this address is from now on what it is now.
void KeepInPlace(uint64_t address);

// Whether this is a test's own process.
bool InProcess();

// The execution under way is over, and what it has to tell is in the link; `status` is as wait4 says it. The next one
// begins behind BeginInPlace.
[[noreturn]] void EndInPlace(int status);
// The detector needs the shadow of a region: the server makes it, and the execution is performed again.
[[noreturn]] void WantRegion(uint64_t address);
// The process is to end for good: its system calls are its own again.
void OpenGate();

}  // namespace heddle::rt::control
