// A search that several processes perform together: `mpirun -np N heddle explore ...`. The first leads, the others
// explore subtrees (explore/shared_search.h, base/ranks.h, docs/explore.md "Several machines").
//
// What a rank reports is taken in as a whole or not at all, so one that is killed leaves nothing half counted: its
// subtree is given out again. The leader explores what there is itself while it has nobody else. It writes a file
// (`subtrees` in its folder) every few seconds, from which another one can go on when it is killed.
#pragma once

#include <functional>

#include "analysis/explore/exploration.h"
#include "base/result.h"

namespace heddle::analysis {

// The leader. Also goes on with what an earlier one left (ExplorationOptions::resume).
Result<findings::Report> LeadExploration(const ExplorationOptions& options,
                                         const std::function<void(const ExplorationProgress&)>& tell);

// Everybody else; until the leader says that it is over, or is gone.
Status FollowExploration(const ExplorationOptions& options);

// Whether such a search left its state in the folder.
bool HasSharedSearch(const std::string& folder);

}  // namespace heddle::analysis
