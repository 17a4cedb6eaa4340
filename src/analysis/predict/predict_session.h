// One prediction from a recorded run to the report: asks the engines, replays their witnesses, and keeps what they
// show.
#pragma once

#include <string>
#include <vector>

#include "analysis/predict/predict_confirm.h"
#include "findings/report.h"
#include "predict/pattern_search.h"
#include "predict/prediction.h"
#include "predict/property_check.h"
#include "predict/witness_schedule.h"
#include "symbolize/trace_names.h"

namespace heddle::analysis {

struct PredictLimits {
  predict::RaceLimits races;
  predict::DeadlockLimits deadlocks;
  predict::PropertyLimits properties;
  predict::PatternLimits patterns;
  uint32_t retries = 4;  // of a witness that diverged
  Deadline deadline;     // of everything; what was not looked at then counts as not decided

  // The deadline in all parts.
  void SetDeadline(Deadline at) {
    deadline = at;
    races.search.deadline = deadlocks.search.deadline = deadlocks.stuck.deadline = patterns.search.deadline = at;
  }
};

// What replays say about a prediction.
enum class Replayed {
  kShown,
  kRuledOut,  // the program followed the witness and did not show it; or no order is left in which the threads read
              // what the replays showed that they need
  kOpen,      // a replay without a lesson, a limit, too many attempts
};

// What was decided, for the last line of the report and --statistics.
struct PredictTotals {
  predict::Reduction reduction;
  uint64_t predicted = 0;
  uint64_t confirmed = 0;
  uint64_t unconfirmed = 0;  // no replay confirmed them, and none ruled them out
  uint64_t ruled_out = 0;    // by replays, and the search of what these left
  uint64_t refuted = 0;
  uint64_t not_decided = 0;
  uint64_t states = 0;
  uint64_t replays = 0;
  std::vector<std::string> skipped;  // what there was no time to begin with

  // Those of one window after the other.
  void Add(const PredictTotals& more);
};

class PredictSession {
 public:
  PredictSession(const predict::ModelledTrace* trace, symbolize::TraceNames* names, PredictLimits limits, bool all)
      : trace_(trace), names_(names), limits_(limits), all_(all) {}

  // With a program, witnesses are replayed; `folder` is where the schedules of findings go. For witnesses of the trace
  // its steps are needed too.
  void UseProgram(Confirmer* confirmer, std::string folder) {
    confirmer_ = confirmer;
    folder_ = std::move(folder);
  }
  void UseSteps(const predict::StepMap* steps) { steps_ = steps; }

  // Takes over findings of the recorded run itself, of kinds that no replay has shown, with its schedule.
  Status KeepRecorded(const findings::Report& own, const sched::Schedule& recorded, findings::Report& report);
  // Replays the recorded run itself with the detector. Needs no trace.
  Status ConfirmRun(const sched::Schedule& recorded, findings::Report& report);
  Status Races(findings::Report& report);
  Status Deadlocks(findings::Report& report);
  // Atomicity violations and wrong orders of use. A replay confirms one when the recorded replay has its accesses, in
  // that order.
  Status Patterns(findings::Report& report);
  // A replay confirms a violation when the events of the replayed run, in their order, violate the property.
  Status Properties(const predict::Property& property, findings::Report& report);

  // Counts as not decided: there is no time for it.
  void Skip(std::string what);
  // From here on nothing begins any more: the schedule of the run is not known.
  void SkipAll() { skip_all_ = true; }

  const PredictTotals& totals() const { return totals_; }
  // Of all predictions that have one.
  const std::vector<predict::Target>& targets() const { return targets_; }

 private:
  // Whether there is time to begin with it; else it is skipped.
  bool Begins(const char* what);
  bool Known(const findings::Report& report, const findings::Finding& finding) const;
  Status Keep(const Confirmation& confirmation, findings::Report& report);
  Status SaveSchedule(findings::Finding& finding, const sched::Schedule& schedule);
  // What a divergence says about the order that the witness asked for; false when it says nothing.
  bool Learn(const std::optional<sched::Divergence>& divergence, const predict::Witness& witness,
             predict::Constraints* constraints) const;
  Result<Replayed> Confirm(findings::Finding finding, predict::Witness witness, const predict::Target& target,
                           predict::Constraints constraints, findings::Report& report);
  Result<Replayed> ConfirmPattern(const predict::PredictedPattern& found, findings::Report& report);
  Result<Replayed> ConfirmProperty(const predict::Property& property, size_t assertion,
                                   predict::AssertionOutcome violated, predict::Constraints constraints,
                                   findings::Report& report);
  void Unconfirmed(Replayed replayed, findings::Finding finding, predict::Engine engine, findings::Report& report);

  const predict::ModelledTrace* trace_;
  symbolize::TraceNames* names_;
  PredictLimits limits_;
  bool all_;
  bool skip_all_ = false;
  Confirmer* confirmer_ = nullptr;
  const predict::StepMap* steps_ = nullptr;
  std::string folder_;
  PredictTotals totals_;
  std::vector<predict::Target> targets_;
};

}  // namespace heddle::analysis
