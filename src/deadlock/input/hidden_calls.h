// Says in plain calls what the compiler and the C++ run-time call without a call being written: destructor functions at
// exit, destructors of exception objects at the end of a handler, and allocation functions that the program defines.
#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace heddle::deadlock {

// Metadata of a module that defines allocation functions.
inline constexpr const char* kOwnAllocation = "heddle.own_allocation";

// The body of one of them, which libraries may call at any time.
bool IsOwnAllocation(const llvm::Function& function);

// Before returns of main become calls of exit.
void ShowHiddenCalls(llvm::Module& module);

}  // namespace heddle::deadlock
