// Ends of a run that name every thread: a deadlock, and the step at which the user wanted to stop.
#pragma once

#include "runtime/control/turn/control_thread.h"

namespace heddle::rt::control {

// No thread can go on. Writes the finding with every thread's stack and what it holds, and ends the process.
[[noreturn]] void ReportDeadlock(ControlThread* self);

// Every thread waits, and only something outside can end that. `end`: ends the process too.
void ReportHang(ControlThread* self, bool end);

// The process is about to end: writes a finding for threads that wait for each other (stuck.h).
void ReportStuck(ControlThread* self);

// The strategy has led threads to where they should wait for each other: when they do, reports it and ends the process.
void EndIfStuck(ControlThread* self);

// The step of the option `until` has come: the same for every thread, as a report that is no finding.
[[noreturn]] void ReportStopped(ControlThread* self);

// The calling thread was granted kDump: notes its stack.
void DumpStack(ControlThread* self);

}  // namespace heddle::rt::control
