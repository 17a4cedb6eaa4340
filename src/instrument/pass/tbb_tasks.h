// Functions that libtbb calls to run a task: they begin with an acquire at the task, which its spawn released
// (runtime/intercept/tbb.cpp).
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::instrument {

void AcquireTask(llvm::Function& function);

}  // namespace heddle::instrument
