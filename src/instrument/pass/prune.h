// Leaves out the instrumentation of accesses that an analysis of the whole program found free of races (`heddle cc
// --prune`).
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace heddle::instrument {

// Marks plain loads and stores that the list at `path` names, so that they are not instrumented. The list is used only
// if every source file that it was made from is unchanged; else a sentence that says which one is not, and nothing is
// marked. Empty: it was used.
struct Pruned {
  std::string refused;
  size_t left_out = 0;
  size_t all = 0;  // plain loads and stores of the module
};
Pruned Prune(llvm::Module& module, const std::string& path);

}  // namespace heddle::instrument
