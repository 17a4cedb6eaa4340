// The byte that says who watches this executable or shared library. The runtime sets it when the module registers, in a
// constructor that the first use puts into the unit; until then every access calls the runtime.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace heddle::instrument {

llvm::GlobalVariable* WatchVariable(llvm::Module& module);

// Its value now, one of the constants of base/inline_filter.h.
llvm::Value* LoadWatch(llvm::IRBuilder<>& builder);

}  // namespace heddle::instrument
