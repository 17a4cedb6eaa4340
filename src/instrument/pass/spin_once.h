// libstdc++ looks up to 16 times before it waits in the kernel (bits/atomic_wait.h: atomics, latches, barriers,
// semaphores). A search would have to take each look at every moment. SpinOnce leaves one of them when the program is
// watched: docs/explore.md says why nothing is lost.
#pragma once

namespace llvm {
class Module;
}

namespace heddle::instrument {

// Before anything is inlined. Whether it changed the module.
bool SpinOnce(llvm::Module& module);

}  // namespace heddle::instrument
