// Stacks of threads that have ended. Nobody may use them any more: not the variables of the thread's functions, not its
// thread-local ones. Only under controlled scheduling, where one thread runs at a time.
//
// The main thread's stack stays until the process ends, also behind pthread_exit. A stack that the program provided is
// the program's to use again. One that libc made may be handed to another thread (StackBegins) or given back to the
// system: libc keeps at least the last few, so only those are remembered.
#pragma once

#include <cstdint>

#include "runtime/detect/history.h"

namespace heddle::rt::detect {

struct DetectThread;

extern uint64_t g_dead_low;  // all of them lie within
extern uint64_t g_dead_bytes;

inline bool MayBeDead(uint64_t address) { return address - g_dead_low < g_dead_bytes; }

// Memory that somebody has now.
void StackBegins(uint64_t low, uint64_t bytes);
// `kept`: it is not used for anything else in this execution.
void StackEnds(uint64_t low, uint64_t bytes, bool kept);

// Reports an access to one; `access.pc` is known.
void CheckDeadStack(DetectThread* self, const AccessRecord& access);

}  // namespace heddle::rt::detect
