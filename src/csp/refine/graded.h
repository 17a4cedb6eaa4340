// Products of chains: formats in which every step moves exactly one leaf of some chosen ones, and each of those is
// graded: its states have ranks, and each of its edges goes up by one. Threads that run through a list of operations
// are such leaves, whatever locks and variables they synchronise with.
//
// There the number of steps to a state is the sum of its ranks, whichever way it is reached. So in a breadth-first
// search the same state is only met again within its level, and the set of states seen needs only one level: it fits
// into the cache, and what is kept of a state is how it was reached.
#pragma once

#include <vector>

#include "csp/lts/format.h"

namespace heddle::csp {

// Whether the format is such a product, its steps that change the format left out.
bool IsGraded(const Format& format);

// Whether all edges of a machine go up by one in some ranking of its states (exposed for tests).
bool HasRanks(const Machine& machine);

}  // namespace heddle::csp
