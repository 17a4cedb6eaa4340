// heddle check: the main job. Builds what it is given if that is a source file, runs it, and reports what is wrong.
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "analysis/explore/exploration.h"
#include "analysis/predict/predict_run.h"
#include "analysis/target/interrupt.h"
#include "analysis/target/outcome.h"
#include "analysis/target/process.h"
#include "analysis/target/results_dir.h"
#include "base/deadline.h"
#include "base/duration.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "findings/report_json.h"

namespace heddle::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  heddle check race.c                 build it, run it, report\n"
    "  heddle check -- ./server --once     a program built with heddle cc\n"
    "  heddle check --sarif out.sarif -- ./test\n"
    "Exit code: 0 nothing found, 1 findings, 2 usage, 3 could not analyse, 126/127 the program cannot run.";

struct CheckOptions {
  std::vector<std::string> command;
  std::string root;
  std::string time = "60s";
  std::string explore = "5s";
  ReportOptions report;
};

double Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

bool IsCxx(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension();
  return ending == ".cpp" || ending == ".cc" || ending == ".cxx" || ending == ".C" || ending == ".c++";
}
bool IsSource(const std::string& path) { return IsCxx(path) || std::filesystem::path(path).extension() == ".c"; }

// Builds SOURCE beside the results with this heddle's own compiler; the command to run then.
Result<std::vector<std::string>> Build(const std::vector<std::string>& command, const std::string& folder) {
  std::string program = folder + "/" + std::filesystem::path(command[0]).stem().string();
  std::error_code failure;
  std::string self = std::filesystem::read_symlink("/proc/self/exe", failure);
  std::vector<std::string> compile = {
      self, IsCxx(command[0]) ? "c++" : "cc", "-g", "-O1", "-pthread", command[0], "-o", program};
  if (IsCxx(command[0])) compile.insert(compile.begin() + 2, "-std=c++20");
  Result<analysis::ChildEnd> end = analysis::RunChild(compile);
  if (!end) return end.error();
  if (end->code != 0) return MakeError(ErrorCode::kUsage, fmt::format("{}: it does not compile", command[0]));
  std::vector<std::string> run = command;
  run[0] = program;
  return run;
}

std::string Joined(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a + "; " + b;
}

// What the search adds to what one run and its reorderings have shown.
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
}

bool HasRace(const findings::Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [](const findings::Finding& finding) { return finding.kind == findings::Kind::kDataRace; });
}

// Searches the program's other executions for at most so long. What cannot be explored is said in the coverage. In a
// program with data races, plain accesses decide what happens: they are visible then.
void ExploreToo(const std::vector<std::string>& command, const std::string& folder, double seconds,
                findings::Report& report) {
  if (seconds <= 0 || report.coverage.threads < 2) return;
  analysis::ExplorationOptions options;
  std::error_code failure;
  options.command = command;
  options.folder = std::filesystem::absolute(folder, failure).string();
  options.shown = folder;
  options.seconds = seconds;
  options.execution_seconds = seconds / 2;
  if (HasRace(report)) options.visible = "all";
  Result<findings::Report> explored = analysis::Explore(options, [](const analysis::ExplorationProgress&) {});
  if (!explored) {
    report.coverage.bound = Joined(report.coverage.bound, fmt::format("not explored: {}", explored.error().message));
    return;
  }
  TakeIn(*explored, report);
}

Status Save(const std::string& root, const std::string& folder, const findings::Report& report) {
  Status written = findings::SaveReport(report, folder + "/report.json");
  if (!written) return written;
  return analysis::PublishResults(root, folder);
}

int Check(const CheckOptions& options, double limit, double explore_limit) {
  double start = Now();
  analysis::Interrupt interrupt;  // stops all phases
  Deadline deadline = Deadline::After(limit);
  if (Status inputs = CheckReportInputs(options.report); !inputs) return Fail("check", inputs.error());
  std::string root = analysis::ResultsRoot(options.root);
  Result<std::string> folder = analysis::NewResults(root, "check");
  if (!folder) return Fail("check", folder.error());
  analysis::PredictRun run;
  run.command = options.command;
  run.control.strategy = analysis::kFewSwitches;
  run.seconds = limit;
  run.run_seconds = limit;
  run.deadline = deadline;
  if (IsSource(run.command[0])) {
    Result<std::vector<std::string>> built = Build(run.command, *folder);
    if (!built) return Fail("check", built.error());
    run.command = *built;
  }
  findings::Report report;
  Result<analysis::PredictEnd> end = analysis::PredictProgram(run, *folder, report);
  if (!end) {
    Fail("check", end.error());
    return end.error().code == ErrorCode::kUnsupported ? static_cast<int>(kExitUndecided) : CannotRunCode(end.error());
  }
  report.program = options.command[0];
  bool ended = report.coverage.undecided.empty();
  if (ended) ExploreToo(run.command, *folder, deadline.Left(explore_limit), report);
  analysis::ExplainFailures({report.coverage.succeeded, report.coverage.failed, {}}, report.coverage.complete, report);
  if (analysis::Interrupt::Came() && ended) report.coverage.undecided = "stopped by a signal";
  report.coverage.seconds = Now() - start;
  int code = EmitReport("check", report, options.report, stderr);
  Status saved = Save(root, *folder, report);
  if (!saved) return Fail("check", saved.error());
  return code;
}

int Run(const Arguments& arguments) {
  CLI::App app("Finds races and deadlocks: of one run, and of every other order of it", "heddle check");
  CheckOptions options;
  app.add_option("COMMAND", options.command, "a source file, or after -- a program and its arguments")->required();
  app.add_option("-o", options.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  app.add_option("--time", options.time, "time limit of the whole command: 500ms, 60s, 5m")
      ->capture_default_str()
      ->type_name("TIME");
  app.add_option("--explore", options.explore, "how much of it may go into other executions; 0: none (heddle explore)")
      ->capture_default_str()
      ->type_name("TIME");
  AddReportOptions(app, options.report);
  app.footer(kExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<double> limit = ParseDuration(options.time);
  if (!limit) return Fail("check", limit.error());
  Result<double> explore_limit = options.explore == "0" ? Result<double>(0.0) : ParseDuration(options.explore);
  if (!explore_limit) return Fail("check", explore_limit.error());
  return Check(options, *limit, *explore_limit);
}

}  // namespace

extern const Verb kCheckVerb;
const Verb kCheckVerb{"check", "build, run and report what is wrong: the main job", Run};

}  // namespace heddle::cli
