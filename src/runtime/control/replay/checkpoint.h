// Checkpoints of a recording that keeps its end only (docs/checkpoints.md).
#pragma once

#include <cstdint>

#include "runtime/control/turn/control_thread.h"

namespace heddle::rt::control {

// With the recording's files: option `ring`. `steps` and `calls` are the paths of the first segment.
void StartRing(const char* steps, const char* calls);
// In a child of fork.
void ForgetRing();

// Number of steps at which it is time to ask whether a checkpoint is due.
extern uint64_t g_consider_at;
void ConsiderCheckpoint(ControlThread* self);
// With the turn, behind a step. In a process that took a checkpoint up, it returns a second time.
inline void PollCheckpoint(ControlThread* self, uint64_t steps) {
  if (__builtin_expect(static_cast<long>(steps >= g_consider_at), 0) != 0) ConsiderCheckpoint(self);
}

// HEDDLE_CHECKPOINT: this process becomes the one of that image and does not come back. Returns when there is none;
// ends the process, with a message, when it cannot be.
void TakeUpCheckpoint();

}  // namespace heddle::rt::control
