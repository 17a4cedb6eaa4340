#include "analysis/check/check_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/check/static_candidates.h"
#include "analysis/explore/exploration.h"
#include "analysis/predict/predict_run.h"
#include "analysis/target/interrupt.h"
#include "analysis/target/outcome.h"
#include "base/duration.h"

namespace heddle::analysis {
namespace {

std::string Joined(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a + "; " + b;
}

// Searches the program's other executions for at most so long. What cannot be explored is said in the coverage.
// `run_seconds`: how long one run takes; what does not end in ten times as much may hang, and anything shorter is only
// slow.
void ExploreToo(const CheckRun& run, double seconds, double run_seconds,
                const std::function<void(const CheckProgress&)>& tell, findings::Report& report) {
  if (seconds <= 0 || report.coverage.threads < 2) return;
  ExplorationOptions options;
  std::error_code failure;
  options.command = run.command;
  options.target = run.target;
  options.folder = std::filesystem::absolute(run.folder, failure).string();
  options.shown = run.folder;
  options.time = run.time;
  options.seconds = seconds;
  options.execution_seconds = seconds / 2;
  constexpr double kSlow = 10;
  options.slow_is_finding = options.execution_seconds > kSlow * run_seconds;
  options.deadline = run.deadline.Within(seconds);
  uint64_t before = report.findings.size();
  tell({CheckPhase::kExplore, 0, before});
  Result<findings::Report> explored = Explore(options, [&](const ExplorationProgress& progress) {
    tell({CheckPhase::kExplore, progress.executions, before + progress.findings});
  });
  if (!explored) {
    report.coverage.bound = Joined(report.coverage.bound, fmt::format("not explored: {}", explored.error().message));
    return;
  }
  TakeIn(*explored, report);
}

}  // namespace

void TakeIn(const findings::Report& explored, findings::Report& report) {
  const findings::Coverage& found = explored.coverage;
  findings::Coverage before = report.coverage;
  findings::Merge(report, explored);
  report.coverage = before;
  report.coverage.executions = found.executions;
  report.coverage.blocked = found.blocked;
  report.coverage.complete = found.complete;
  report.coverage.scope = found.complete ? found.scope : "";
  report.coverage.bound = found.complete ? "" : Joined(before.bound, "exploration " + found.bound);
  report.coverage.succeeded += found.succeeded;
  report.coverage.failed += found.failed;
  report.coverage.note = Joined(before.note, found.note);
}

Result<findings::Report> CheckProgram(const CheckRun& check, const std::function<void(const CheckProgress&)>& tell,
                                      CheckTimes* times) {
  double start = MonotonicSeconds();
  PredictRun run;
  run.command = check.command;
  run.target = check.target;
  run.control.strategy = kFewSwitches;
  run.control.time = check.time;
  run.seconds = check.seconds;
  run.run_seconds = check.seconds;
  run.deadline = check.deadline;
  findings::Report report;
  tell({});
  Result<PredictEnd> end = PredictProgram(run, check.folder, report);
  if (!end) return end.error();
  times->record = end->run_seconds;
  times->predict = MonotonicSeconds() - start - times->record;
  bool ended = report.coverage.undecided.empty();
  double explore_start = MonotonicSeconds();
  double explore_seconds = check.deadline.Left(check.explore_seconds);
  if (ended) ExploreToo(check, explore_seconds, end->run_seconds, tell, report);
  if (ended && check.explore_seconds > 0 && explore_seconds <= 0) {
    report.coverage.bound = Joined(report.coverage.bound, "no time for other executions (--time)");
  }
  times->explore = MonotonicSeconds() - explore_start;
  if (ended) {
    tell({CheckPhase::kStatic, report.coverage.executions, report.findings.size()});
    times->steer = SteerToCandidates(check, report);
  }
  ExplainFailures({report.coverage.succeeded, report.coverage.failed, {}}, report.coverage.complete, report);
  if (Interrupt::Came() && ended) report.coverage.undecided = "stopped by a signal";
  return report;
}

}  // namespace heddle::analysis
