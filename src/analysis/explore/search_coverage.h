// What a report says about how much was explored.
#pragma once

#include <optional>
#include <string>

#include "analysis/explore/execution_log.h"
#include "analysis/explore/exploration.h"
#include "analysis/explore/search_totals.h"

namespace heddle::analysis {

// How a search ended.
struct SearchEnd {
  bool searched = true;    // not samples
  std::string stopped_by;  // "": by itself
  bool target_gone = false;
  bool bounded = false;                 // a bound kept it from some executions
  std::optional<uint32_t> preemptions;  // the bound of the last search
  std::optional<Estimate> estimate;     // of all executions
  std::optional<Estimate> expected;     // the same, from the operations of the first one
  uint64_t racy = 0;                    // samples with a race
  std::string unrepeated;               // how executions ended that no replay repeated (ExploredFindings::Settle)
  std::string pruning;
  std::string note;
  double seconds = 0;
  size_t threads = 0;
  bool saved = false;  // another search can go on
};

void FillCoverage(const ExplorationOptions& options, const SearchTotals& totals, const SearchEnd& end,
                  findings::Report& report);

// What a search that goes on must agree with.
SearchIdentity IdentityOf(const ExplorationOptions& options);

}  // namespace heddle::analysis
