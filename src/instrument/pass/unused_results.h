// Results that the program does not use: a search leaves the order of such operations open where nobody else can tell
// it either (docs/explore.md, "Operations that commute").
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::instrument {

// In a function that ThreadSanitizer has instrumented: atomic updates get a mark in their memory order
// (wire/result_hint.h), calls of pthread_barrier_wait become calls of __heddle_barrier_wait.
void TellUnusedResults(llvm::Function& function);

}  // namespace heddle::instrument
