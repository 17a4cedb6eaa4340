// State outside of private memory that executions share, and that is put back between them: positions of open files,
// contents of pipes and eventfds, memory that is mapped shared. Kept in the server when it begins to serve; what a copy
// makes itself goes with the copy.
#pragma once

#include <cstdint>

namespace heddle::rt::control {

// In the server, before the first execution.
void KeepOutsideState();
// In the server behind each copy: descriptors and shared memory.
void RestoreOutsideState();
// In place: shared memory.
void RestoreSharedMemory();

// Whether what a call on the descriptor changes is put back, or belongs to the execution. `writes`: contents too.
bool IsPutBack(int fd, bool writes);
// Whether only this process can make the descriptor ready.
bool IsInternal(int fd);
// Whether the descriptor was there before the first execution.
bool IsShared(int fd);

}  // namespace heddle::rt::control
