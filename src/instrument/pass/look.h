// The inline looks: whether an access needs the runtime at all. What runtime/record/filter.h (trace) and
// runtime/detect/cell.h (detect) ask in C++, as instructions.
#pragma once

#include "instrument/pass/calls.h"

namespace heddle::instrument {

// Each puts the look before `call`, an access that AsSizedAccess knows, and makes the call happen only where the look
// finds something new.
void LookIntoFilter(llvm::CallInst* call, SizedAccess access);

// `regions` is the value of __heddle_cells. LookIntoCells looks at the first cell of the word, or of both words that
// the access may lie in. When the word has a second cell, another call is made in the place of `call`; it is returned,
// null if there is none. LookIntoTwoCells looks at the second cell, too.
llvm::CallInst* LookIntoCells(llvm::CallInst* call, SizedAccess access, llvm::Value* regions);
void LookIntoTwoCells(llvm::CallInst* call, SizedAccess access, llvm::Value* regions);
llvm::Value* LoadRegions(llvm::BasicBlock* entry);

// Makes it a call of the runtime's entry that looks no more and preserves the program's registers, so that an inline
// look costs nothing but itself.
void CallSlow(llvm::CallInst* call, SizedAccess access);

}  // namespace heddle::instrument
