// Which code is the C++ library's own, of what handoff_names.h is about.
#pragma once

namespace llvm {
class Instruction;
}  // namespace llvm

namespace heddle::deadlock {

// Whether the library wrote it to make such things. What the program gave to the library, and was inlined there, is
// not.
bool IsHandoffCode(const llvm::Instruction& at);

}  // namespace heddle::deadlock
