// Explores a subtree of a search that several share (explore/shared_search.h), with the programs of this process.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "analysis/explore/executor.h"
#include "analysis/explore/search_totals.h"
#include "explore/subtree.h"

namespace heddle::analysis {

struct SubtreeResult {
  SearchTotals totals;
  std::vector<Performed> found;  // executions that show what none before in this process showed
  explore::SubtreeRest rest;
};

class SubtreeRunner {
 public:
  SubtreeRunner(Executor& executor, bool only_races) : executor_(executor), only_races_(only_races) {}

  // Until it is explored, or `give_back` says so; that is asked behind each execution.
  Result<SubtreeResult> Run(explore::Subtree subtree, const std::function<bool()>& give_back);

 private:
  bool ShowsMore(const Performed& performed);

  Executor& executor_;
  bool only_races_;
  std::set<std::string> seen_;
};

}  // namespace heddle::analysis
