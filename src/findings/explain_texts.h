// The texts of explain.h, in two files: bugs of ordering and locks, and the other kinds.
#pragma once

#include <span>

#include "findings/explain.h"

namespace heddle::findings {

std::span<const Explanation> OrderExplanations();
std::span<const Explanation> OutcomeExplanations();

}  // namespace heddle::findings
