// Futexes, through which C++20's waiting primitives go.
#pragma once

namespace heddle::rt {

// The arguments of the system call, in its order. `timeout` is a number for those operations that take a second count.
struct FutexCall {
  long address;
  long operation;
  long value;
  long timeout;
  long address2;
  long value3;
};

// Performs the call, with the turn when the process is under control. Result and errno are those of syscall().
long Futex(const FutexCall& call, const void* pc);

}  // namespace heddle::rt
