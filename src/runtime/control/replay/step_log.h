// The steps of a run, in a file that survives whatever ends the process (wire/step_format.h).
#pragma once

#include <cstdint>

namespace heddle::rt::control {

// Creates `path` (path.PID when it is taken). Null: steps are not kept. False, with a message, when that fails.
bool StartStepLog(const char* path);
// With the turn.
void AppendStep(uint32_t thread, uint8_t operation, uint8_t result, uint64_t pc);
// The steps from now on go to another file. With the turn; false, with a message, when that fails: none is kept then.
bool MoveStepLog(const char* path);
// In a child of fork: a file of its own.
void RestartStepLog();
int StepLogDescriptor();

}  // namespace heddle::rt::control
