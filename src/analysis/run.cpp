#include "heddle/analysis/run.h"

#include <filesystem>

#include "analysis/check/check_program.h"
#include "analysis/detect/detect_run.h"
#include "analysis/explore/exploration.h"
#include "analysis/predict/predict_run.h"
#include "analysis/target/interrupt.h"
#include "analysis/target/results_dir.h"
#include "base/source.h"
#include "findings/suppressions.h"

namespace heddle::analysis {
namespace {

// The absolute path of a new folder for the files of one call.
Result<std::string> NewFolder(const Request& request, const char* analysis) {
  if (request.command.empty()) return MakeError(ErrorCode::kUsage, "there is no program to run");
  Result<std::string> folder = NewResults(request.results, analysis);
  if (!folder) return folder.error();
  std::error_code failure;
  return std::filesystem::absolute(*folder, failure).string();
}

}  // namespace

Result<findings::Report> Detect(const Request& request) {
  Result<std::string> folder = NewFolder(request, "detect");
  if (!folder) return folder.error();
  DetectRun run;
  run.command = request.command;
  run.folder = *folder;
  run.seconds = request.seconds;
  Result<DetectEnd> end = DetectProgram(run);
  if (!end) return end.error();
  SourceMap sources;
  uint32_t file = sources.Add("the program's suppressions", end->suppressions);
  findings::SuppressionSet set = findings::ParseSuppressions(sources, file);
  findings::ApplySuppressions(set, end->report);
  end->hide(end->report);
  return std::move(end->report);
}

Result<findings::Report> Predict(const Request& request) {
  Result<std::string> folder = NewFolder(request, "predict");
  if (!folder) return folder.error();
  Interrupt interrupt;
  PredictRun run;
  run.command = request.command;
  run.control.strategy = kFewSwitches;
  run.seconds = request.seconds;
  run.deadline = Deadline::After(request.seconds);
  findings::Report report;
  Result<PredictEnd> end = PredictProgram(run, *folder, report);
  if (!end) return end.error();
  return report;
}

Result<findings::Report> Explore(const Request& request) {
  Result<std::string> folder = NewFolder(request, "explore");
  if (!folder) return folder.error();
  ExplorationOptions options;
  options.command = request.command;
  options.folder = *folder;
  options.shown = *folder;
  options.seconds = request.seconds;
  return Explore(options, [](const ExplorationProgress&) {});
}

Result<findings::Report> Check(const Request& request) {
  Result<std::string> folder = NewFolder(request, "check");
  if (!folder) return folder.error();
  Interrupt interrupt;
  CheckRun run;
  run.command = request.command;
  run.folder = *folder;
  run.seconds = request.seconds;
  run.deadline = Deadline::After(request.seconds);
  CheckTimes times;
  return CheckProgram(run, [](const CheckProgress&) {}, &times);
}

}  // namespace heddle::analysis
