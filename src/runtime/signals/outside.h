// What could end a wait although no thread of the program can: signal handlers, timers, child processes, and other
// processes that share memory with this one. Asked when every thread waits, so it may be slow.
#pragma once

#include <cstdint>

namespace heddle::rt {

// A handler of the program for a signal that comes from elsewhere (not for faults), a timer that runs, functions that
// libc runs in threads of its own, a child process.
bool OutsideMayAct();
// The program asked libc to run functions of it in threads that libc makes unseen.
void LibcMayRunThreads();

// Whether other processes may see the address: it lies in a shared mapping.
bool IsSharedMemory(uint64_t address);

}  // namespace heddle::rt
