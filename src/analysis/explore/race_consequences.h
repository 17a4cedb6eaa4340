// What a data race leads to. A search switches threads at visible operations only, so it sees a race but not what comes
// of it: the lost wake-up, the failed assertion. Here the program is searched again with the racing accesses as points
// at which threads are switched, until no new races come up.
#pragma once

#include <functional>
#include <set>

#include "analysis/explore/exploration.h"

namespace heddle::analysis {

struct Searched {
  findings::Report report;
  std::set<uint64_t> racing;  // code addresses of accesses that raced
};
using SearchAgain = std::function<Result<Searched>(const ExplorationOptions&)>;

// Adds what the races of a search lead to, with the race as the cause, and says so in the coverage. The numbers of
// executions stay those of the search itself. `seconds`: how long it took.
void FollowRaces(const ExplorationOptions& options, double seconds, const SearchAgain& search, Searched& searched);

}  // namespace heddle::analysis
