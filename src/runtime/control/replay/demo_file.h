// The file of recorded calls while it is written (wire/demo_format.h).
//
// Entries are copied into a mapping of the file's end, a window that moves on when it is full: a call of the kernel for
// each entry would cost more than most of the calls that are recorded. What was copied is in the file whatever ends the
// process. The window's bytes are allocated before they are written, so a full disk is an error here and no signal.
// Where they cannot be (the disk is nearly full, the file system allocates nothing beforehand, the entry is larger than
// a window), the entry is written by a call.
#pragma once

#include <sys/uio.h>

#include "wire/demo_format.h"

namespace heddle::rt::control {

// False, with a message, when it cannot be created.
bool OpenDemoFile(const char* path);
// Also in a child of fork: the parent's file is not its own.
void CloseDemoFile();
// In a process that took a checkpoint of a recording up: the file is not there.
void ForgetDemoFile();
int DemoDescriptor();
// Null when none is open.
wire::DemoHeader* OpenDemoHeader();
// The entry and what belongs to it; `used` says afterwards that it is whole. Any thread.
void AppendEntry(const wire::DemoEntry& entry, const iovec* pieces, int count);
// Around fork: nobody is in the middle of an entry.
void LockDemoFile();
void UnlockDemoFile();

}  // namespace heddle::rt::control
