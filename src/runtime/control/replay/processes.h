// The processes of one recording, each with a stream of its own (wire/process_format.h; docs/record-replay.md,
// Processes).
//
// Record: a child that fork makes, and a program that a recorded one executes, takes the next number and writes to the
// folder process-N. The counter is in process 1's `about`, which all of them map.
// Play: a child that fork makes follows the stream in fork-S of its parent's folder, where S are the steps before the
// fork; without such a folder it runs freely. When one process is asked for (option `process`), only the forks that
// lead to it are followed: the parent then waits for its child and ends as it does, and all other children end at once.
//
// The number of a process is in HEDDLE_OWNER, changed in place, so that programs that it executes know it.
#pragma once

#include "runtime/control/turn/control_thread.h"

namespace heddle::rt::control {

// Before any file is made: which process this is.
void FindProcess();
// Whether a program under control has executed this one.
bool IsExecuted();
// Whether this process writes a recording (the ring keeps the first process only) or follows one.
bool HasStream();
// The file that `variable` names, in this process's folder; null when it is not set.
const char* StreamPath(const char* variable);
// Record: with the demo begun. What a replay needs to start the program by itself.
void DescribeProcess();
// Play: descriptors that the program inherited.
void MakeInherited();

// In a process that took a checkpoint up: only the first process is kept by a ring.
void ForgetProcess();

// Around fork, with the turn. In the child first of all, then behind the modes.
void NoteForkStep();
void ForkedChild();
void ForkedChildGoesOn(ControlThread* self);
void ForkedParentGoesOn();
void ForkFailed();

// Whether this process is replayed only because a child of it is asked for.
bool IsOnTheWay();
// Whether one process is asked for.
bool OneProcess();

// The program ends, or executes another: `executes` false again when that failed.
void NoteProcessEnd(int code);
void NoteProcessExec(bool executes);
// Play: the process that is asked for executes another program.
[[noreturn]] void EndAsExecuted();
// Memory that others may change: a replay cannot follow what they do. Said once, and in the recording's last line.
void NoteSharedMapping();
void NoteUnfollowedCall(const char* call);

}  // namespace heddle::rt::control
