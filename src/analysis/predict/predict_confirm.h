// Replaying witnesses on the real program: whether what was predicted happens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/target/outcome.h"
#include "analysis/target/target.h"
#include "base/deadline.h"
#include "base/result.h"
#include "findings/report.h"
#include "predict/prediction.h"
#include "sched/schedule.h"

namespace heddle::analysis {

struct Confirmation {
  std::optional<sched::Divergence> divergence;
  sched::Schedule performed;  // the whole run, which can be replayed
  findings::Report report;    // what the detector saw, but for mere orders of locks
  bool timed_out = false;
};

// A run under a schedule that was recorded, for what the detector does not know.
struct TracedReplay {
  std::optional<sched::Divergence> divergence;
  sched::Schedule performed;
  predict::ModelledTrace trace;
  bool ended = false;  // by itself, neither stuck nor stopped
  bool timed_out = false;
};

class Confirmer {
 public:
  // `recorded`: the run to start from; its options and seed are used. `folder` (absolute) is for the runs' files. A run
  // gets so many seconds, and no more than the deadline leaves.
  Confirmer(Target& target, std::vector<std::string> command, const sched::Schedule& recorded, std::string folder,
            double seconds, Deadline deadline, std::shared_ptr<StepPlaces> places);

  // Runs the program under the schedule, with the detector, and on behind its end.
  Result<Confirmation> Try(const sched::Schedule& schedule);

  // The same, recorded, without the detector.
  Result<TracedReplay> TryTraced(const sched::Schedule& schedule);

  uint64_t runs() const { return runs_; }
  // How the runs ended.
  const Outcomes& outcomes() const { return outcomes_; }

 private:
  Result<ControlledRun> Prepare(const sched::Schedule& schedule) const;
  void Count(const ControlledEnd& end);

  Target& target_;
  std::vector<std::string> command_;
  const sched::Schedule* recorded_;
  std::string folder_;
  double seconds_;
  Deadline deadline_;
  Outcomes outcomes_;
  std::shared_ptr<StepPlaces> places_;
  uint64_t runs_ = 0;
};

}  // namespace heddle::analysis
