// Whether a condition or filter of a test holds in a final state.
#pragma once

#include <cstdint>
#include <vector>

#include "litmus/syntax/test.h"

namespace heddle::litmus {

// `values` are those of Test::observed.
bool EvaluateProp(const Test& test, int prop, const std::vector<int64_t>& values);

}  // namespace heddle::litmus
