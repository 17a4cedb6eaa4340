// The whole of prediction on a program: record a run, predict, replay. What `heddle predict` and `heddle check` share.
#pragma once

#include <string>
#include <vector>

#include "analysis/predict/predict_session.h"
#include "analysis/target/target.h"
#include "base/result.h"
#include "findings/report.h"
#include "predict/prediction.h"

namespace heddle::analysis {

// The default strategy for the recorded run: a thread goes on until it waits or sleeps, as short programs usually do by
// themselves.
inline constexpr wire::Strategy kFewSwitches = wire::Strategy::kGuided;

struct PredictRun {
  std::vector<std::string> command;
  Target* target = &Processes();  // what runs it
  ControlOptions control;
  PredictLimits limits;
  double seconds = 60;                        // time limit of the recorded run
  double run_seconds = 20;                    // of a replay
  Deadline deadline;                          // of everything together
  bool all = false;                           // keep predictions that no replay confirmed
  std::vector<predict::Property> properties;  // not empty: these are checked, and nothing else
};

struct PredictEnd {
  predict::ModelledTrace trace;
  PredictTotals totals;
  Outcomes outcomes;       // of the replays
  double run_seconds = 0;  // how long the recorded run took
  std::vector<predict::Target> targets;
};

// Fills the report. Files go to `folder`. Errors are those of RunControlled, and what cannot be read or written.
Result<PredictEnd> PredictProgram(const PredictRun& run, const std::string& folder, findings::Report& report);

// Asks the session for all that is wanted of the trace.
Status Predict(const std::vector<predict::Property>& properties, PredictSession& session, findings::Report& report);

struct PredictCoverage {
  uint64_t events = 0;
  size_t threads = 0;
  bool run_cut = false;    // the recorded run was stopped by the time limit
  bool trace_cut = false;  // there was time to read so many events of its trace only
};

// What the report covers.
void SetPredictCoverage(const PredictTotals& totals, const PredictCoverage& seen, findings::Report& report);

}  // namespace heddle::analysis
