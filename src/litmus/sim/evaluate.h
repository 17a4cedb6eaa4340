// The value of an expression of a thread, and what it was computed from.
#pragma once

#include <cstdint>
#include <vector>

#include "litmus/sim/flow.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

struct Registers {
  const std::vector<int64_t>& values;
  const std::vector<Flow>& flows;
  // AArch64: of a selection only the value that was selected counts as what the result was computed from; what decided
  // is a pick dependency. Elsewhere all of them count.
  bool selects;
};

// `old`: the value that the read half of a read-modify-write got. `flow` (may be null) gets what it was computed from.
int64_t Evaluate(const Thread& thread, int expr, const Registers& registers, int64_t old, Flow* flow);

bool UsesOld(const Thread& thread, int expr);

}  // namespace heddle::litmus
