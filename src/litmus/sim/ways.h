// Traces of one thread that differ only in the values that they read, taken together: the search then chooses values
// and the writes that they come from in one step, and a model can cut it off between two reads.
#pragma once

#include <vector>

#include "litmus/sim/trace.h"

namespace heddle::litmus {

struct Way {
  std::vector<const Trace*> traces;  // the same events, dependencies and written values
};

// `together` false: each trace is a way of its own.
std::vector<Way> WaysOf(const std::vector<Trace>& traces, bool together);

}  // namespace heddle::litmus
