// Instructions that read the processor's cycle counter become calls of the runtime, which under control answers from
// logical time and in a recording keeps what it read.
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::instrument {

// The intrinsics behind __rdtsc, __rdtscp and __builtin_readcyclecounter, and inline assembly that consists of rdtsc or
// rdtscp and fences. Other assembly is left alone. Whether anything changed.
bool ReplaceCycleCounters(llvm::Function& function);

}  // namespace heddle::instrument
