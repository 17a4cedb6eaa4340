// Cycles of the lock graph as findings.
#pragma once

#include "deadlock/cycles/lock_graph.h"
#include "findings/finding.h"

namespace heddle::deadlock {

findings::Finding Describe(const Locksets& locksets, const Cycle& cycle);

// The call chain of an instruction in a context, innermost first.
Stack ChainOf(const Locksets& locksets, ContextId context, const llvm::Instruction& at);

// "main", "worker", "signal handler on_signal".
std::string ThreadName(const Origin& origin);

}  // namespace heddle::deadlock
