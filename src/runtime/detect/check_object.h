// Locks, condition variables, semaphores and barriers in heap memory that nobody has initialised: neither their
// function of initialisation nor anything else has written the field that every way of making one writes. Our own heap
// fills new blocks with one byte (memory/thread_heap.h), which no such field ever holds. Libc's heap does not: nothing
// is said there.
#pragma once

#include "runtime/op.h"

namespace heddle::rt::detect {

// By a thread that comes to `op` under controlled scheduling, before it waits for its turn: what such an object makes
// of the operation is anything, and it may never be performed. Reports it and fills it with zeros, which is what fresh
// memory mostly holds, so that libc does not fail on it in ways of its own. (Not for spin locks: one that holds that
// byte is taken, and its user waits for ever.) An object on the stack of a thread that has ended is reported too.
// Nothing outside detect mode.
void CheckObject(const Op& op);

}  // namespace heddle::rt::detect
