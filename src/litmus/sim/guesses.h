// Values that could only justify themselves, taken from what the test itself speaks of: what unreached code writes, and
// what the condition asks for when something is written that was read before.
#pragma once

#include "litmus/sim/trace.h"
#include "litmus/sim/values.h"

namespace heddle::litmus {

// Adds them to `values`; whether there were any.
bool AddGuesses(const Test& test, const TraceSet& traces, Values& values);

}  // namespace heddle::litmus
