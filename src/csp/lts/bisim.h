// Strong bisimulation on explicit transition systems.
#pragma once

#include <functional>
#include <vector>

#include "csp/lts/step.h"

namespace heddle::csp {

// The class of each state under strong bisimulation; the first state's class is 0. `poll` is called now and then and
// may throw to stop.
std::vector<uint32_t> BisimulationClasses(const ExplicitLts& lts, const std::function<void()>& poll = {});

// One state for each class, with the edges of all its members. `drop_inner_taus`: a tau between different members of a
// class is left out, which is right for weak equivalences.
ExplicitLts Quotient(const ExplicitLts& lts, const std::vector<uint32_t>& classes, bool drop_inner_taus = false);

// In order, without repetition.
void SortEdges(std::vector<ExplicitLts::Edge>& edges);

}  // namespace heddle::csp
