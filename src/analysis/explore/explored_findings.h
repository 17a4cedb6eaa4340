// Findings of explored executions: each new one becomes a schedule, which is replayed for the full report.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/explore/exploration.h"
#include "sched/schedule.h"

namespace heddle::analysis {

// Names for what an execution shows; the same for others that show the same. `slow_too`: not to end in its time counts.
std::vector<std::string> FindingKeys(const Performed& performed, bool only_races, bool slow_too);

class ExploredFindings {
 public:
  explicit ExploredFindings(const ExplorationOptions& options) : options_(options) {}

  // Whether the execution shows something that none before did; then it is replayed and added.
  Result<bool> Consider(const Performed& performed, const std::vector<std::string>& threads);

  // At the end of the search: what an execution showed and no replay repeated becomes a finding, `restored`: when
  // nothing was left behind that the next execution could have met. Otherwise it says nothing about the program, and
  // the result is a sentence about it for the coverage; "" when there is none.
  std::string Settle(bool restored);

  findings::Report& report() { return report_; }
  const std::set<uint64_t>& racing() const { return racing_; }  // code addresses of accesses that raced

 private:
  Status Confirm(const Performed& performed, const std::vector<std::string>& threads);
  // `exact`: as it was performed, not an equivalent order with few switches. With races these may differ.
  sched::Schedule ScheduleOf(const Performed& performed, const std::vector<std::string>& threads, bool exact) const;
  // Whether the replay shows anything; then it is added.
  Result<bool> Replay(const Performed& performed, const std::vector<std::string>& threads, bool exact);
  void AddUnconfirmed(const Performed& performed, const std::string& path);

  struct Unrepeated {
    findings::Finding finding;
    std::string what;  // happened to the execution
  };

  const ExplorationOptions& options_;
  std::set<std::string> seen_;
  std::set<uint64_t> racing_;
  findings::Report report_;
  std::vector<Unrepeated> unrepeated_;
  int schedules_ = 0;
};

}  // namespace heddle::analysis
