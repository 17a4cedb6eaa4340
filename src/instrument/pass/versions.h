// A function that ThreadSanitizer has instrumented becomes several, in one: its entry tests once who watches, and goes
// on in a body without calls for plain accesses or in one that looks. One watched body serves the trace's filter and
// the detector's cells, or each has its own, as look_plan.h says. So an unwatched program pays one test for each call
// of a function, and a watched one asks little but what its mode asks.
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::instrument {

void SplitVersions(llvm::Function& function);

}  // namespace heddle::instrument
