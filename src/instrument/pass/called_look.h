// Looks that are called instead of inlined: where a function has many accesses, a look in each would make it many times
// longer, and a call of a few bytes that spoils no register (clang's preserve_most) does.
#pragma once

#include "instrument/pass/calls.h"

namespace heddle::instrument {

// Both make `call`, an access that AsSizedAccess knows, a call of a function of this unit that looks and goes on into
// the runtime only for something new. That function serves every mode: it tests who watches.
void CallLook(llvm::CallInst* call, SizedAccess access);

// For a call that follows an inline look into the first cell: the function looks into the second, too. Words that two
// threads use, or one in several epochs, have two. Only where nothing is filtered.
void CallTwoCells(llvm::CallInst* call, SizedAccess access);

}  // namespace heddle::instrument
