// Puts a test around the calls that ThreadSanitizer's pass emitted for plain accesses, so that a program that nobody
// watches pays a load and a branch that is never taken instead of a call; and a look into the runtime's access filter,
// so that an access that the thread's segment has made already calls nothing either.
#pragma once

namespace llvm {
class Function;
}

namespace heddle::instrument {

void GuardAccesses(llvm::Function& function);

}  // namespace heddle::instrument
