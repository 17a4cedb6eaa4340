// Weaves the events of an aspect file into a module (docs/properties.md): a call of the runtime at every join-point
// that an order names, before any optimisation, so that what the source says is still there.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

namespace heddle::instrument {

// `orders`: WeaveText of instrument/aspect.h. Errors, such as a field that cannot be captured, go to the compiler.
// Returns whether the module was changed.
bool Weave(llvm::Module& module, llvm::StringRef orders);

}  // namespace heddle::instrument
