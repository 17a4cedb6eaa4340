// Which bodies a function gets, and where in them looks are worth their length. An inline look is some twenty times as
// long as a call of one (called_look.h) and takes about half the instructions.
#pragma once

#include <llvm/IR/Function.h>

#include <vector>

#include "instrument/pass/calls.h"

namespace heddle::instrument {

// A function with at most so many accesses is short: looks everywhere, in a body for each mode.
inline constexpr size_t kShortFunction = 8;
// So is a loop with at most so many and no loop in it: looks there, in a longer function too.
inline constexpr size_t kShortLoop = 16;

struct LookPlan {
  // One for each mode that watches: the function is short, or at least a quarter of its accesses is in short loops.
  // Otherwise one for both.
  bool two_watched_bodies = false;
  std::vector<bool> looks_inline;  // by position among the function's WatchedCalls
};

LookPlan PlanLooks(llvm::Function& function);

}  // namespace heddle::instrument
