// The target forks: the child goes on with the calling thread alone, and writes files of its own.
#pragma once

namespace heddle::rt::control {

// After the program's own handlers of fork, which may wait for other threads.
void BeforeFork();
// In the child, before the modes make files.
void ChildBegins();
void AfterFork(bool in_child);

}  // namespace heddle::rt::control
