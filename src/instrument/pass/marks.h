// What the runtime cannot see of an access or a call and a search must know (docs/explore.md, Pruning).
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::instrument {

// Marks, in a function that ThreadSanitizer has instrumented:
//   __heddle_adds(p)    before the announcement of a store at p that adds an integer to what was there, when nothing
//                       else depends on the value that was read;
//   __heddle_outside()  before a call of code that may be without instrumentation.
void MarkForSearch(llvm::Function& function);

// Tells the runtime, when the program starts, that the calls of this unit are marked.
void MarkUnit(llvm::Module& module);

bool IsMark(llvm::StringRef callee);

// Makes the call happen only while a search asks for it.
void GuardMark(llvm::CallInst* mark);

}  // namespace heddle::instrument
