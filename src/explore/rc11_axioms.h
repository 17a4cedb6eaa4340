// The naive twin of sched/c11_graph.h and of the search on it, for tests: RC11's axioms as relations, and every graph
// of a small program that they allow, by trying every store for every load and every place for every store.
#pragma once

#include <set>
#include <string>

#include "explore/model_program.h"

namespace heddle::explore {

// The texts of all complete graphs (as ModelProgram::Run writes them, up to the part about threads and cells). Only
// loads, stores, updates, compare-and-swaps, fences, locks and unlocks of mutexes, and skips.
std::set<std::string> AllGraphs(const ModelProgram& program);

}  // namespace heddle::explore
