// The target forks: the child goes on with the calling thread alone, and writes files of its own.
#pragma once

namespace heddle::rt::control {

void BeforeFork(const void* pc);
void AfterFork(bool in_child);

}  // namespace heddle::rt::control
