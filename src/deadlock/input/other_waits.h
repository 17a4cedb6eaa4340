// Waits that the analysis does not follow: for condition variables, semaphores, barriers, futures, messages, and loops
// that wait until another thread changes memory. Whether they end is not decided, so no proof is claimed beside them.
#pragma once

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace heddle::deadlock {

class Primitives;

// What is waited with and at how many places: "pthread_cond_wait (2)". Sorted; empty if there is nothing.
std::vector<std::string> OtherWaits(const llvm::Module& module, const Primitives& primitives);

}  // namespace heddle::deadlock
