// Names that a person knows: locks by variable and member, places by file and line.
#pragma once

#include <string>

#include "base/frame.h"
#include "deadlock/pointers/points_to.h"

namespace llvm {
class Instruction;
}

namespace heddle::deadlock {

// "g_table.lock", "jobs[*].mutex", "job->mutex", "the block from queue.c:12".
std::string LockName(const Locations& locations, LocId loc);

// The instruction's place, innermost first: functions that were inlined into its function come before it.
Stack PlaceOf(const llvm::Instruction& instruction);

// A function as in the source: demangled when it is C++.
std::string FunctionName(const llvm::Function& function);

}  // namespace heddle::deadlock
