// What a search has performed so far, in numbers: of a whole search or of a part of it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/explore/executor.h"
#include "analysis/target/outcome.h"
#include "explore/search.h"

namespace heddle::analysis {

struct SearchTotals {
  uint64_t executions = 0;
  uint64_t blocked = 0;  // abandoned
  uint64_t events = 0;
  uint64_t cut = 0;       // too long
  uint64_t hangs = 0;     // did not end
  uint64_t diverged = 0;  // did not follow their prefix; how the first did not:
  std::string divergence;
  bool timeouts_cut = false;
  bool mixed_sizes = false;
  std::set<std::string> gaps;  // what was done that is not modelled
  std::string forked;          // why executions ran in copies
  Outcomes outcomes;

  uint64_t performed() const { return executions + blocked; }
  void Count(const Performed& performed);
  void CountDivergence(const explore::Difference& difference, const Executor& executor);
  // What the programs say of all their executions.
  void CountTargets(const Executor& executor);
  void Add(const SearchTotals& other);
};

}  // namespace heddle::analysis
