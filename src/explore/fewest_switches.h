// The order of an execution's events, among all that are equivalent to it, with the fewest switches between threads.
//
// Equivalent executions behave the same, so what one shows the other shows. The states are what each thread has done
// and who went last; a search by number of switches visits each once. When there are too many, the order is built step
// by step: a thread goes as far as it can, then whoever can go furthest.
#pragma once

#include <cstddef>
#include <vector>

#include "explore/execution.h"

namespace heddle::explore {

// Positions in `events`, each once. `limit`: states to visit before giving up on the fewest.
std::vector<size_t> FewestSwitches(const std::vector<ExploredEvent>& events, size_t limit = 100000);

// The same with the event behind all that does not depend on it; what depends on it is left out.
std::vector<size_t> AsLateAsPossible(const std::vector<ExploredEvent>& events, size_t event);

}  // namespace heddle::explore
