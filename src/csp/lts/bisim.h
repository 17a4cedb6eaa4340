// Strong bisimulation: the smallest transition system that behaves the same, step for step.
#pragma once

#include "csp/lts/step.h"

namespace heddle::csp {

// block[s] is the class of state s. Classes are numbered in the order of their first state, so that the class of
// state 0 is 0. Kanellakis and Smolka's refinement: states are split by what they can reach, until nothing changes.
std::vector<uint32_t> BisimulationClasses(const ExplicitLts& lts);

// One state for each class, edges without repetition.
ExplicitLts Quotient(const ExplicitLts& lts, const std::vector<uint32_t>& classes);

}  // namespace heddle::csp
