// Puts a test around the calls that ThreadSanitizer's pass emitted for plain accesses, so that a program that nobody
// watches pays a load and a branch that is never taken instead of a call. In detect mode an access that the thread made
// already in this epoch is recognised in line.
#pragma once

namespace llvm {
class Function;
}

namespace heddle::instrument {

void GuardAccesses(llvm::Function& function);

}  // namespace heddle::instrument
