// Replaying witnesses on the real program: whether what was predicted happens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/controlled_run.h"
#include "findings/report.h"
#include "predict/prediction.h"
#include "sched/schedule.h"

namespace heddle::cli {

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
  predict::TraceUnderstood trace;
  bool ended = false;  // by itself, neither stuck nor stopped
};

class Confirmer {
 public:
  // `recorded`: the run to start from; its options and seed are used. `folder` (absolute) is for the runs' files.
  Confirmer(std::vector<std::string> command, const sched::Schedule& recorded, std::string folder, double seconds,
            std::shared_ptr<StepPlaces> places);

  // Runs the program under the schedule, with the detector, and on behind its end.
  Result<Confirmation> Try(const sched::Schedule& schedule);

  // The same, recorded, without the detector.
  Result<TracedReplay> TryTraced(const sched::Schedule& schedule);

  uint64_t runs() const { return runs_; }

 private:
  Result<ControlledRun> Prepare(const sched::Schedule& schedule) const;
  void RemoveFiles() const;

  std::vector<std::string> command_;
  const sched::Schedule* recorded_;
  std::string folder_;
  double seconds_;
  std::shared_ptr<StepPlaces> places_;
  uint64_t runs_ = 0;
};

}  // namespace heddle::cli
