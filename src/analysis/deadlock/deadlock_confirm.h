// Leads runs of the instrumented program into the deadlocks and races that the static analysis reported
// (docs/deadlock-confirm.md).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/deadlock/deadlock_match.h"
#include "analysis/deadlock/deadlock_plan.h"
#include "analysis/target/target.h"
#include "base/deadline.h"
#include "base/result.h"
#include "findings/report.h"

namespace heddle::analysis {

struct ConfirmSettings {
  std::vector<std::string> command;
  analysis::Target* program = &Processes();  // what runs it
  uint64_t attempts = 10;                    // steered runs for each finding
  uint64_t seed = 1;
  wire::Carrier carrier = wire::Carrier::kOs;
  double seconds = 20;  // limit of one run
  Deadline deadline;    // no run begins behind it
  std::string folder;   // of the results, absolute
};

class DeadlockConfirmer {
 public:
  explicit DeadlockConfirmer(ConfirmSettings settings);

  // One run without steering: whether the program can be run under control at all, and what it has loaded where.
  Status FirstRun();

  // Upgrades the findings that are met; adds deadlocks that belong to none; says what was done.
  Status Confirm(findings::Report& report);

  // Of the findings to confirm, those with code in the program, and all.
  size_t reachable() const { return reachable_; }
  size_t tried() const { return tried_; }

 private:
  struct Aim {
    size_t finding = 0;  // in the report
    Plan plan;
    std::vector<std::vector<symbolize::Module::Range>> code;
    bool reachable = false;
    uint64_t runs = 0;  // that were steered for it
    bool met = false;
  };

  struct RaceAim {
    size_t finding = 0;  // in the report
    Plan plan;
    std::vector<std::vector<symbolize::Module::Range>> code;
    bool has_code = false;
    bool came[2] = {};  // some run that was led there came to the access
    uint64_t runs = 0;  // that were led there
    uint64_t timed_out = 0;
  };

  void MakeTargets(const findings::Report& report);
  void MakeRaceTargets(const std::vector<symbolize::Module>& modules, const findings::Report& report);
  Status AddPlan(const Plan& plan, const std::vector<std::vector<symbolize::Module::Range>>& code, uint64_t attempt,
                 ControlledRun& run) const;
  Status Attempt(Aim& target, uint64_t attempt, findings::Report& report);
  Result<ControlledEnd> RunOnce(ControlledRun run);
  // What the run showed; the deadlock ends up in the report, at its finding or as one of its own.
  Status Look(const ControlledRun& run, const ControlledEnd& end, findings::Report& report);
  // The races of the run: those of static findings are confirmed, others are added.
  Status LookForRaces(const ControlledRun& run, const ControlledEnd& end, findings::Report& report);
  Status ConfirmRaces(findings::Report& report);
  bool WorthARun(const RaceAim& aim, const findings::Report& report) const;
  Status LeadToRace(RaceAim& aim, uint64_t attempt, findings::Report& report);
  // Whether a replay shows the races that were `seen`, each with its place in the report.
  Status ReplayRaces(const sched::Schedule& schedule, const std::vector<std::pair<size_t, findings::Finding>>& seen,
                     findings::Report& report);
  std::string WhyNotSeen(const RaceAim& aim, const findings::Finding& finding) const;
  void DescribeRaces(findings::Report& report) const;
  Status Met(findings::Finding& finding, const Plan& plan, const ControlledEnd& end);
  Status AddOwn(const ControlledRun& run, const ControlledEnd& end, findings::Report& report);
  // Runs the program under the schedule; `used` is how.
  Result<ControlledEnd> Replay(const sched::Schedule& schedule, ControlledRun* used);
  Result<bool> Replays(const sched::Schedule& schedule, const Plan& plan);
  Status SaveSchedule(findings::Finding& finding, const sched::Schedule& schedule) const;
  void Describe(findings::Report& report) const;
  ControlledRun Prepare(wire::Strategy strategy, uint64_t seed) const;

  ConfirmSettings settings_;
  std::shared_ptr<StepPlaces> places_;
  ControlledRun first_run_;
  std::unique_ptr<ControlledEnd> first_end_;
  std::vector<Aim> targets_;
  std::vector<RaceAim> races_;
  size_t static_races_ = 0, races_met_ = 0, stated_ = 0;  // findings of the analysis: races; confirmed ones; all
  uint64_t race_runs_ = 0;
  uint64_t runs_ = 0, timed_out_ = 0, met_ = 0;
  std::map<int, uint64_t> signals_;  // that ended runs
  size_t reachable_ = 0, tried_ = 0;
};

}  // namespace heddle::analysis
