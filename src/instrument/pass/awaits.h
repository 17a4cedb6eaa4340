// Loops that do nothing but wait for a value: one atomic, and a condition on what it finds. MarkAwaits puts a call of
// the runtime before that atomic which tells the condition, so that a search can take the loop for one operation that
// is performed when the condition holds (docs/explore.md, "Awaits").
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::instrument {

// Before loops are rotated, which copies the call with the atomic. Whether it found one; may be called again.
bool MarkAwaits(llvm::Function& function);

}  // namespace heddle::instrument
