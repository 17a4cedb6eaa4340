// A thread of the runtime's own inside the target. It is none of the program's threads: it receives no signals, what it
// calls is passed on to libc, and its stack is mapped by us, so that those of the program lie where they would lie
// without it.
#pragma once

namespace heddle::rt {

// Starts a detached thread with this name, which debuggers show. False when there is no memory or no thread for it.
// Not with a lock of the runtime held: libc allocates.
bool StartHelperThread(const char* name, void (*run)());

}  // namespace heddle::rt
