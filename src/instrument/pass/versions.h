// A function that ThreadSanitizer has instrumented becomes three, in one: its entry tests once who watches, and goes on
// in a body without calls for plain accesses, in one that looks into the trace's filter, or in one that looks into the
// detector's cells. So an unwatched program pays one test for each call of a function, and a watched one asks nothing
// but what its mode asks.
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::instrument {

void SplitVersions(llvm::Function& function);

}  // namespace heddle::instrument
