// heddle run: one run of a program under a scheduling strategy.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>

#include "analysis/target/controlled_run.h"
#include "analysis/target/results_dir.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/control_options.h"
#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

constexpr const char* kRunExamples =
    "The program must be built with heddle cc or heddle c++. One thread at a time performs a visible operation, and "
    "the\n"
    "strategy says which; the same seed gives the same schedule. Every run leaves its schedule, which heddle replay\n"
    "enforces.\n"
    "Examples:\n"
    "  heddle run -- ./test\n"
    "  heddle run --strategy pct --depth 2 --seed 7 --detect -- ./test\n"
    "  for i in $(seq 100); do heddle run --seed $i -- ./test || break; done\n"
    "Exit code: the program's own when it is not 0; else 0 nothing found, 1 findings, 2 usage, 3 not decided,\n"
    "126/127 the program cannot run.";

struct RunOptions {
  analysis::ControlledRun run;
  std::string root;
  std::string save;
  std::string time;
  ReportOptions report;
};

int Execute(RunOptions& options) {
  auto start = std::chrono::steady_clock::now();
  if (Status inputs = CheckReportInputs(options.report); !inputs) return Fail("run", inputs.error());
  std::string root = analysis::ResultsRoot(options.root);
  Result<std::string> folder = analysis::NewResults(root, "run");
  if (!folder) return Fail("run", folder.error());
  std::error_code failure;
  options.run.folder = std::filesystem::absolute(*folder, failure).string();
  Result<analysis::ControlledEnd> end = analysis::RunControlled(options.run);
  if (!end) {
    Fail("run", end.error());
    bool cannot_run = end.error().code == ErrorCode::kNotFound || end.error().code == ErrorCode::kIo;
    return cannot_run ? CannotRunCode(end.error()) : kExitUndecided;
  }
  std::string path = options.save.empty() ? *folder + "/schedule" : options.save;
  Status saved = WriteFileAtomic(path, sched::PrintSchedule(end->schedule));
  if (!saved) return Fail("run", saved.error());
  std::filesystem::remove(options.run.folder + "/steps", failure);
  findings::Report report = analysis::ReportOf(options.run, *end, path);
  report.coverage.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  int code = EmitReport("run", report, options.report, stderr);
  code = KeepResults("run", root, *folder, report, code);
  // The program's own word first: scripts that run a test this way see what the test says.
  bool own = end->child.signal == 0 && end->child.code != 0 && end->found.deadlocks.empty();
  return own && code == kExitFindings ? end->child.code : code;
}

int RunRun(const Arguments& arguments) {
  CLI::App app("Runs a program once under a scheduling strategy", "heddle run");
  RunOptions options;
  app.add_option("COMMAND", options.run.command, "after --: the program and its arguments")->required();
  options.run.options.visible.level = wire::Visible::kVolatile;
  AddControlOptions(app, options.run.options);
  app.add_option("--save-schedule", options.save, "where the schedule goes (default: the results folder)")
      ->type_name("FILE");
  app.add_option("--time", options.time, "time limit of the run: 500ms, 60s, 5m (default none)")->type_name("TIME");
  app.add_option("-o", options.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  AddReportOptions(app, options.report);
  app.footer(kRunExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (!options.time.empty()) {
    Result<double> limit = ParseDuration(options.time);
    if (!limit) return Fail("run", limit.error());
    options.run.seconds = *limit;
  }
  return Execute(options);
}

}  // namespace

extern const Verb kRunVerb;
const Verb kRunVerb{"run", "run a program once under a scheduling strategy", RunRun};

}  // namespace heddle::cli
