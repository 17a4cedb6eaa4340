// Says in plain terms what templates of the C++ library do, where their code hides it: std::lock of unique_locks takes
// all mutexes at once, a loop that joins each element of a vector of threads leaves none of them running, and starting
// a thread leaves nothing behind to delete.
#pragma once

namespace llvm {
class Module;
}

namespace heddle::deadlock {

// Metadata of calls of pthread_once that are no lock of the program.
inline constexpr const char* kLibraryOnce = "heddle.library_once";

// Before anything is inlined, after values are in SSA form.
void ReplaceCxxTemplates(llvm::Module& module);

}  // namespace heddle::deadlock
