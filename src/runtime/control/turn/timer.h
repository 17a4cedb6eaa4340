// The process's interval timer in logical time: alarm and setitimer(ITIMER_REAL). It expires with the step that passes
// its end, or, when every thread waits, at once: then nothing else can happen before. The signal goes to the main
// thread, or to the first that lives.
#pragma once

#include <sys/time.h>

#include <cstdint>

namespace heddle::rt::control {

// With the turn.
void SetTimer(const itimerval* value, itimerval* old);
void TimeHasPassed(uint64_t now);
// No thread can go on: lets the timer expire. False when none runs.
bool ExpireTimer();

}  // namespace heddle::rt::control
