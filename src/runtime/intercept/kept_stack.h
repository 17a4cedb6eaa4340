// Stacks of controlled threads that are not used again when their thread ends, so that a later use of one by another
// thread is seen (detect/dead_stacks.h), and is the same in every run: libc would hand them to the next thread, or not,
// as it happens. The first threads of a process get one; later ones, and those for which the program says where their
// stack is, have libc's.
#pragma once

#include <pthread.h>

#include "runtime/threads/thread.h"

namespace heddle::rt {

// The attributes to create the thread with: those of the program, or `room` with a stack in it. Notes in the thread
// what is known of its stack.
const pthread_attr_t* WithKeptStack(const pthread_attr_t* attributes, pthread_attr_t* room, Thread* thread);

}  // namespace heddle::rt
