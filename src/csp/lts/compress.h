// The compressions of CSP_M: smaller transition systems with the same meaning. docs/csp-design.md says what each keeps.
#pragma once

#include <cstdint>
#include <functional>

#include "csp/eval/compression.h"
#include "csp/lts/step.h"

namespace heddle::csp {

// The result never has more states than the input, nor more edges when it has as many states. With `all_models` only
// what is right in every model is done: kDiamond, kNormal and kBest then become kDelay.
ExplicitLts Compress(const ExplicitLts& lts, Compression how, bool all_models, const std::function<void()>& poll);

// The deterministic system of all traces of `lts`: state 0 is after the empty one. False when it has more than `limit`
// states.
bool TraceDeterministic(const ExplicitLts& lts, size_t limit, const std::function<void()>& poll, ExplicitLts& result);

size_t EdgeCount(const ExplicitLts& lts);

}  // namespace heddle::csp
