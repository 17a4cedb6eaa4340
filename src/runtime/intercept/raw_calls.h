// System calls that a program makes by number, with syscall(): those that libc has a function for are the same as that
// function, for every mode and for a recording.
#pragma once

namespace heddle::rt {

// Makes the call as libc's function of the same meaning would be; false when there is none here. `result` is as
// syscall() returns it, with errno.
bool CallByNumber(long number, const long arguments[6], long* result);

}  // namespace heddle::rt
