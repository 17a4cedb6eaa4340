// How many executions a search will have to perform, told from one: the number of ways in which the operations of that
// execution can be ordered, where their order matters.
//
// Executions are equivalent when every pair of dependent operations comes in the same order. So classes are the acyclic
// ways to order the pairs that the program leaves open: accesses to one location of which one writes, critical sections
// of one lock. A walk takes the operations one after the other and gives each a place among those before it, at random
// among the places that leave no cycle; one divided by the probability of all its choices is, on average, the number of
// classes (Knuth, "Estimating the Efficiency of Backtrack Programs", 1975). Places are chosen so that all ways to merge
// the writes of threads to one location are alike: where that is all there is, every walk has the same weight, and the
// number is exact.
//
// What this does not see: threads that do something else in another order (branches, compare-and-swaps). Orders of
// semaphores, condition variables, barriers and of locks that are used with them are taken as they were. So it can be
// too low or too high by any factor, beside the error of the walks that it tells.
#pragma once

#include <cstdint>
#include <optional>

#include "explore/execution.h"

namespace heddle::explore {

struct TraceEstimate {
  double executions = 0;
  double error = 0;  // of the walks: one standard deviation of the mean
};

// Nothing when the execution is too long, has C11 atomics or loops that wait for a value, or was abandoned. Always the
// same for the same execution.
std::optional<TraceEstimate> EstimateTraces(const Execution& execution);

}  // namespace heddle::explore
