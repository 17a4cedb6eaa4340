// Volatile accesses as operations of a schedule.
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::instrument {

// Gives each volatile load and store of memory that others may reach a second way: while a schedule asks for it
// (--visible volatile), calls around the access take and give the turn. Threads signal each other by such variables:
// stop flags, hand-made locks. The compiler's announcement of the access stays, so a race is still one.
void PerformVolatilesInTurn(llvm::Function& function);

}  // namespace heddle::instrument
