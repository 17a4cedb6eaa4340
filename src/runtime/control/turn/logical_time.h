// Time under control. Virtual: every step takes a microsecond, so does every look at a clock, and sleeping takes what
// was asked for at once; nothing depends on the machine. Real (first come, first served on OS threads): the kernel's.
//
// Each thread has its own now: the global one at its last step and what it did since. So a thread may read the clock
// without a turn, and time never runs backwards along the order of steps.
#pragma once

#include <time.h>

#include <cstdint>

namespace heddle::rt::control {

struct ControlThread;

extern bool g_virtual_time;

uint64_t LogicalNow();                            // nanoseconds since the start, as of the last step
void AdvanceTime(ControlThread* self);            // a step was performed
void PassTime(ControlThread* self, uint64_t to);  // a sleep or timeout ended at `to`
void PassAllTime(uint64_t to);                    // every thread waited until `to`
uint64_t ReadTime(ControlThread* self);           // a look at the clock

// What a clock shows at `logical` nanoseconds, and the other way round.
timespec ClockAt(clockid_t clock, uint64_t logical);
uint64_t LogicalOf(clockid_t clock, const timespec& at);

// The time on `clock` after `span`, as the calling thread sees it.
timespec Later(clockid_t clock, const timespec& span);

uint64_t RealNow();                                          // CLOCK_MONOTONIC, nanoseconds
uint64_t RealDeadline(clockid_t clock, const timespec& at);  // as CLOCK_MONOTONIC

}  // namespace heddle::rt::control
