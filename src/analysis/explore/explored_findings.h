// Findings of explored executions: each new one becomes a schedule, which is replayed for the full report.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/explore/exploration.h"
#include "analysis/explore/explore_target.h"
#include "sched/schedule.h"

namespace heddle::analysis {

// Names for what an execution shows; the same for others that show the same. `slow_too`: not to end in its time counts.
std::vector<std::string> FindingKeys(const Performed& performed, bool only_races, bool slow_too);

class ExploredFindings {
 public:
  explicit ExploredFindings(const ExplorationOptions& options) : options_(options) {}

  // Whether the execution shows something that none before did; then it is replayed and added.
  Result<bool> Consider(const Performed& performed, const std::vector<std::string>& threads);

  findings::Report& report() { return report_; }

 private:
  Status Confirm(const Performed& performed, const std::vector<std::string>& threads);
  sched::Schedule ScheduleOf(const Performed& performed, const std::vector<std::string>& threads) const;
  void AddUnconfirmed(const Performed& performed, const std::string& path);

  const ExplorationOptions& options_;
  std::set<std::string> seen_;
  findings::Report report_;
  int schedules_ = 0;
};

}  // namespace heddle::analysis
