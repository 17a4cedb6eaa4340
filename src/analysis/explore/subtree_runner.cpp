#include "analysis/explore/subtree_runner.h"

#include "analysis/explore/explored_findings.h"
#include "explore/dpor.h"

namespace heddle::analysis {

bool SubtreeRunner::ShowsMore(const Performed& performed) {
  bool more = false;
  for (std::string& key : FindingKeys(performed, only_races_, true)) more = seen_.insert(std::move(key)).second || more;
  return more;
}

Result<SubtreeResult> SubtreeRunner::Run(explore::Subtree subtree, const std::function<bool()>& give_back) {
  explore::Dpor search(std::move(subtree));
  SubtreeResult result;
  for (explore::Request request; search.Next(&request);) {
    Result<Performed> performed = executor_.Perform(request);
    if (!performed) return performed.error();
    result.totals.Count(*performed);
    if (!search.Executed(performed->execution)) result.totals.CountDivergence(search.difference(), executor_);
    if (ShowsMore(*performed)) result.found.push_back(performed.Take());
    if (give_back()) break;
  }
  result.totals.timeouts_cut = executor_.TimeoutsCut();
  result.totals.CountTargets(executor_);
  if (std::string gap = search.Gap(); !gap.empty()) result.totals.gaps.insert(gap);
  result.rest = search.Leave();
  return result;
}

}  // namespace heddle::analysis
