// heddle check: the main job. Builds what it is given if that is a source file, runs it, and reports what is wrong.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "analysis/check/check_program.h"
#include "analysis/coverage/coverage_map.h"
#include "analysis/target/controlled_run.h"
#include "analysis/target/interrupt.h"
#include "analysis/target/process.h"
#include "analysis/target/results_dir.h"
#include "base/deadline.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/check_suite.h"
#include "cli/control_options.h"
#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

constexpr const char* kCheckExamples =
    "Examples:\n"
    "  heddle check race.c                 build it, run it, report\n"
    "  heddle check -- ./server --once     a program built with heddle cc\n"
    "  heddle check --html out.html -- ./test\n"
    "  heddle check --ctest build -R cache --jobs 4 --junit out.xml    each test by itself\n"
    "Exit code: 0 nothing found, 1 findings, 2 usage, 3 could not analyse, 126/127 the program cannot run.";

struct CheckOptions {
  std::vector<std::string> command;
  std::string root;
  std::string time = "60s";
  std::string explore = "5s";
  wire::TimeMode time_mode = wire::TimeMode::kByStrategy;
  HistoryUse history = HistoryUse::kAdd;
  std::string coverage;
  SuiteSource suite;
  ReportOptions report;
};

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

constexpr double kTellTimes = 5;  // commands that took longer say where the time went

// What it does, the seconds left and the findings so far: one line that is written over, on a terminal only, since the
// program may print to it as well.
class ProgressLine {
 public:
  explicit ProgressLine(Deadline deadline) : deadline_(deadline), terminal_(isatty(STDERR_FILENO) != 0) {}

  void Show(const analysis::CheckProgress& progress) {
    if (!terminal_) return;
    std::string what = "recording, predicting, replaying";
    if (progress.phase == analysis::CheckPhase::kStatic) what = "leading runs to candidates of the bitcode";
    if (progress.phase == analysis::CheckPhase::kExplore) {
      what = fmt::format("exploring: {} execution{}", progress.executions, progress.executions == 1 ? "" : "s");
    }
    fmt::print(stderr, "\r{}, {:.0f} s left, {} finding{}\x1b[K", what, deadline_.Left(kMost), progress.findings,
               progress.findings == 1 ? "" : "s");
  }

  void Clear() const {
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  static constexpr double kMost = 1e6;
  Deadline deadline_;
  bool terminal_;
};

// Runs the program once more, as it is, to see which code it executes.
Status WriteCoverage(const std::vector<std::string>& command, double seconds, const std::string& path) {
  Result<analysis::ExecutedCode> executed = analysis::FindExecutedCode({command, seconds});
  if (!executed) return executed.error();
  analysis::CoverageMap map;
  map[analysis::CommandText(command)] = {analysis::SourceRevision(), executed->missing, false, executed->files,
                                         executed->modules};
  return WriteFileAtomic(path, analysis::CoverageMapJson(map));
}

int Check(const CheckOptions& options, double limit, double explore_limit) {
  double start = MonotonicSeconds();
  analysis::Interrupt interrupt;  // stops all phases
  Deadline deadline = Deadline::After(limit);
  if (Status inputs = CheckReportInputs(options.report); !inputs) return Fail("check", inputs.error());
  std::string root = analysis::ResultsRoot(options.root);
  Result<std::string> folder = analysis::NewResults(root, "check");
  if (!folder) return Fail("check", folder.error());
  analysis::CheckRun run;
  run.command = options.command;
  run.folder = *folder;
  run.seconds = limit;
  run.explore_seconds = explore_limit;
  run.time = options.time_mode;
  run.deadline = deadline;
  std::error_code failure;
  run.heddle = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (IsSource(run.command[0])) {
    Result<std::vector<std::string>> built = Build(run.command, *folder);
    if (!built) return Fail("check", built.error());
    run.command = *built;
  }
  ProgressLine line(deadline);
  analysis::CheckTimes times;
  Result<findings::Report> checked =
      analysis::CheckProgram(run, [&](const analysis::CheckProgress& progress) { line.Show(progress); }, &times);
  line.Clear();
  if (!checked) {
    Fail("check", checked.error());
    bool unsupported = checked.error().code == ErrorCode::kUnsupported;
    return unsupported ? static_cast<int>(kExitUndecided) : CannotRunCode(checked.error());
  }
  findings::Report report = checked.Take();
  report.program = options.command[0];
  report.coverage.seconds = MonotonicSeconds() - start;
  if (options.report.verbose || report.coverage.seconds > kTellTimes) {
    fmt::print(stderr, "time: {:.1f} s recording, {:.1f} s predicting and replaying, {:.1f} s in other executions{}\n",
               times.record, times.predict, times.explore,
               times.steer > 0 ? fmt::format(", {:.1f} s for candidates of the bitcode", times.steer) : "");
  }
  int code = EmitReport("check", report, options.report, stderr);
  code = KeepResults("check", root, *folder, report, code, options.history);
  if (options.coverage.empty() || analysis::Interrupt::Came()) return code;
  // The verdict does not rest on it; without the file nobody leaves this program out.
  if (Status mapped = WriteCoverage(run.command, limit, options.coverage); !mapped) Fail("check", mapped.error());
  return code;
}

void AddSuiteOptions(CLI::App& app, SuiteSource& suite) {
  app.add_option("--ctest", suite.ctest, "all tests of a build folder of CMake")->type_name("DIR");
  app.add_option("--gtest", suite.gtest, "all tests of a GoogleTest program, each by itself")->type_name("PROGRAM");
  app.add_option("--tests", suite.tests, "the commands in FILE, one a line")->type_name("FILE");
  app.add_option("-R", suite.filter, "with --ctest: only tests whose name matches")->type_name("REGEX");
  app.add_option("--gtest_filter", suite.gtest_filter, "with --gtest: only these")->type_name("FILTER");
  app.add_flag("--map", suite.map, "also record which code each test executes, for --since and --only");
  app.add_option("--since", suite.since, "only tests whose executed code changed since this revision of git")
      ->type_name("REV");
  app.add_option("--only", suite.only, "only tests that execute code of these files; may be repeated")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option("--jobs", suite.jobs, "tests at a time")->check(CLI::Range(1, 256))->capture_default_str();
}

// One thing to check, and no option that would be ignored.
Status CheckSource(const CheckOptions& options) {
  const SuiteSource& suite = options.suite;
  int sources = (options.command.empty() ? 0 : 1) + (suite.ctest.empty() ? 0 : 1) + (suite.gtest.empty() ? 0 : 1) +
                (suite.tests.empty() ? 0 : 1);
  std::string wrong;
  if (sources == 0) wrong = "nothing to check: name a source file, a program after --, --ctest, --gtest or --tests";
  if (sources > 1) wrong = "a program, --ctest, --gtest and --tests exclude each other";
  if (!suite.filter.empty() && suite.ctest.empty()) wrong = "-R is for --ctest";
  if (!suite.gtest_filter.empty() && suite.gtest.empty()) wrong = "--gtest_filter is for --gtest";
  if (!suite.since.empty() && !suite.only.empty()) wrong = "--since and --only exclude each other";
  bool chooses = suite.map || !suite.since.empty() || !suite.only.empty();
  if (chooses && !suite.Given()) wrong = "--map, --since and --only are for --ctest, --gtest and --tests";
  if (!options.coverage.empty() && suite.Given()) wrong = "--coverage is for one program; a suite has --map";
  if (suite.jobs > 1 && !suite.Given()) wrong = "--jobs is for --ctest, --gtest and --tests";
  return wrong.empty() ? Status{} : Status{MakeError(ErrorCode::kUsage, wrong)};
}

int RunCheck(const Arguments& arguments) {
  CLI::App app("Finds races and deadlocks: of one run, and of every other order of it", "heddle check");
  CheckOptions options;
  app.add_option("COMMAND", options.command, "a source file, or after -- a program and its arguments");
  AddSuiteOptions(app, options.suite);
  app.add_option("-o", options.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  app.add_option("--time", options.time, "time limit of the whole command, of each test with a suite: 500ms, 60s, 5m")
      ->capture_default_str()
      ->type_name("TIME");
  app.add_option("--explore", options.explore, "how much of it may go into other executions; 0: none (heddle explore)")
      ->capture_default_str()
      ->type_name("TIME");
  AddTimeMode(app, options.time_mode);
  app.add_option("--coverage", options.coverage,
                 "run it once more and write which source files' code it executes to FILE (schema heddle/coverage/1)")
      ->type_name("FILE");
  app.add_flag_callback(
      "--no-history", [&] { options.history = HistoryUse::kLeaveOut; }, "keep this run out of `heddle history`");
  AddReportOptions(app, options.report);
  app.footer(kCheckExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<double> limit = ParseDuration(options.time);
  if (!limit) return Fail("check", limit.error());
  Result<double> explore_limit = options.explore == "0" ? Result<double>(0.0) : ParseDuration(options.explore);
  if (!explore_limit) return Fail("check", explore_limit.error());
  if (Status right = CheckSource(options); !right) return Fail("check", right.error());
  if (options.suite.Given()) {
    return CheckSuite(
        {options.suite, options.root, *limit, *explore_limit, options.time_mode, options.history, options.report});
  }
  return Check(options, *limit, *explore_limit);
}

}  // namespace

extern const Verb kCheckVerb;
const Verb kCheckVerb{"check", "build, run and report what is wrong: the main job", RunCheck};

}  // namespace heddle::cli
