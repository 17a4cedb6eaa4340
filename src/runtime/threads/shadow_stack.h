// The calls that a thread is in, as the compiler's calls at function entry and exit tell (Thread::frames).
#pragma once

namespace heddle::rt {

void FunctionEntry(void* call_pc);
void FunctionExit();

}  // namespace heddle::rt
