// Enforcing a schedule: each step names the thread that goes and the operation that it must then perform.
#pragma once

#include "runtime/control/turn/control_thread.h"
#include "wire/step_format.h"

namespace heddle::rt::control {

// Maps the compiled schedule at `path` (wire/step_format.h).
bool StartReplay(const char* path);

// Maps a list of switches for the strategy `guided`.
bool LoadSwitches(const char* path, const wire::Switch** switches, uint64_t* count);

extern bool g_replaying;  // and not at its end
inline bool Replaying() { return g_replaying; }

bool ScheduleGoesOn();  // a step is left
uint64_t ScheduleSteps();
bool EndsWithProcess();  // its last step is the end of the process

// The thread of the next step; null when the schedule has just ended. Ends the process when that thread cannot go on.
ControlThread* NextOfSchedule();
// The thread that has the turn stands before the operation that it should perform, or the process ends.
void CheckStep(const ControlThread* self);
// The next step is one of this thread.
bool IsNextInSchedule(const ControlThread* self);
// The next step is a signal handler of this thread.
bool HandlerIsNext(const ControlThread* self);
// Whether any of the steps that are left is one of this thread.
bool HasStepsLeft(const ControlThread* self);
void StepPerformed();
// It should perform it, but has to wait.
[[noreturn]] void DivergeBlocked(const ControlThread* self);

// It made a system call that the recording does not have there.
[[noreturn]] void DivergeCall(const ControlThread* self);

// The recorded calls are used up before the schedule is: the process ends with that.
[[noreturn]] void RecordingEnds();

// In a child of fork: the schedule is not its own.
void LeaveSchedule();

// The index of a thread's id in the schedule, -1 when it is not there.
int32_t NameInSchedule(const char* id);

}  // namespace heddle::rt::control
