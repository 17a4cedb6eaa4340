// Brings bitcode of any origin into the form that the later stages like: values in SSA form, and small functions that
// lock, allocate or create threads on behalf of their callers inlined into them, so that each caller has its own.
#pragma once

#include "deadlock/input/primitives.h"

namespace llvm {
class Module;
}

namespace heddle::deadlock {

// Named metadata of the module: the functions that were inlined and do nothing but lock or unlock for their callers.
inline constexpr const char* kWrapperList = "heddle.wrappers";

void Normalise(llvm::Module& module, const Primitives& primitives, bool is_library);

}  // namespace heddle::deadlock
