// Liveness (section 4.3.3 of the paper named in control.h): a thread that was given the turn and comes to no visible
// operation for long is passed over; it takes part again when it comes. OS threads only.
#pragma once

namespace heddle::rt::control {

void StartWatchdog();   // does nothing when there is one
void StopWatchdog();    // no thread is left: the process ends with its last one, which must not be the watchdog
void ForgetWatchdog();  // in a child of fork
bool WatchdogRuns();

}  // namespace heddle::rt::control
