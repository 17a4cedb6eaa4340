// heddle shrink: the fewest context switches with which a failing schedule still fails.
#include "sched/shrink.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>

#include "analysis/replay/replay_input.h"
#include "analysis/target/controlled_run.h"
#include "analysis/target/results_dir.h"
#include "analysis/target/run_files.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

constexpr const char* kShrinkExamples =
    "Runs the program again and again with parts of the schedule's context switches, and keeps what still fails in "
    "the\n"
    "same way (the same findings, or the same exit code or signal).\n"
    "Examples:\n"
    "  heddle shrink F1\n"
    "  heddle shrink bug.schedule --save-schedule small.schedule -- ./test\n"
    "Exit code: 0 shrunk (or could not be made smaller), 2 usage, 3 the schedule does not fail, 4 it diverges.";

struct ShrinkOptions {
  std::string input;
  std::vector<std::string> command;
  std::string save;
  std::string root;
  std::string time = "60s";
  std::string run_time = "10s";
};

// How a run failed; empty: it did not.
std::string FailureOf(const analysis::ControlledRun& run, const analysis::ControlledEnd& end) {
  if (end.control.divergence || end.timed_out) return "";
  findings::Report report = analysis::ReportOf(run, end, "");
  std::string failure;
  for (const findings::Finding& finding : report.findings) failure += finding.fingerprint + " ";
  if (failure.empty() && end.child.code != 0) failure = fmt::format("exit {}", end.child.code);
  return failure;
}

class Shrinker {
 public:
  Shrinker(analysis::ControlledRun run, double seconds) : run_(std::move(run)), seconds_(seconds) {}

  // Enforces the schedule; an exit code when there is nothing to shrink.
  Result<int> Begin(const sched::Schedule& schedule) {
    Status written = WriteFileAtomic(run_.enforce, sched::CompileSchedule(schedule));
    if (!written) return written.error();
    Result<analysis::ControlledEnd> end = analysis::RunControlled(run_);
    if (!end) return end.error();
    if (end->control.divergence) return static_cast<int>(kExitDiverged);
    failure_ = FailureOf(run_, *end);
    if (failure_.empty()) return static_cast<int>(kExitUndecided);
    best_ = end->schedule;
    names_ = end->schedule;
    return 0;
  }

  const sched::Schedule& best() const { return best_; }
  int runs() const { return runs_; }

  void Search() {
    run_.options.strategy = wire::Strategy::kGuided;
    std::vector<wire::Switch> all = sched::SwitchesOf(names_);
    auto fails = [this](const std::vector<wire::Switch>& part) { return Try(part); };
    // The whole list may already lead to fewer: waits end elsewhere than they did.
    if (Try(all)) sched::Shrink(std::move(all), fails);
  }

 private:
  bool Try(const std::vector<wire::Switch>& part) {
    if (Elapsed() > seconds_) return false;
    Status written = WriteFileAtomic(run_.enforce, sched::CompileSwitches(names_, part));
    if (!written) return false;
    Result<analysis::ControlledEnd> end = analysis::RunControlled(run_);
    ++runs_;
    if (!end || FailureOf(run_, *end) != failure_) return false;
    if (end->schedule.Switches() < best_.Switches()) best_ = end->schedule;
    if (isatty(STDERR_FILENO) != 0) {
      fmt::print(stderr, "\r{} runs, {} switches left ", runs_, best_.Switches());
    }
    return true;
  }

  double Elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  analysis::ControlledRun run_;
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string failure_;
  sched::Schedule best_;
  sched::Schedule names_;
  int runs_ = 0;
};

std::string Switches(uint64_t count) { return fmt::format("{} switch{}", count, count == 1 ? "" : "es"); }

int Execute(const ShrinkOptions& options, double seconds, double run_seconds) {
  std::string root = analysis::ResultsRoot(options.root);
  Result<analysis::ReplayInput> input = analysis::LoadReplayInput(root, options.input);
  if (!input) return Fail("shrink", input.error());
  Result<analysis::ControlledRun> run = analysis::PrepareReplay(*input, options.command);
  if (!run) return Fail("shrink", run.error());
  if (run->options.memory != wire::MemoryModel::kSc) {
    return Fail("shrink", MakeError(ErrorCode::kUnsupported,
                                    "what C11 atomics read is noted for this order of steps: another order would read "
                                    "something else"));
  }
  Result<std::string> folder = analysis::NewResults(root, "shrink");
  if (!folder) return Fail("shrink", folder.error());
  std::error_code failure;
  run->folder = std::filesystem::absolute(*folder, failure).string();
  run->enforce = run->folder + analysis::kEnforceName;
  run->seconds = run_seconds;
  run->quiet = true;
  Shrinker shrinker(*run, seconds);
  Result<int> begun = shrinker.Begin(input->schedule);
  if (!begun) {
    Fail("shrink", begun.error());
    return begun.error().code == ErrorCode::kUnsupported ? kExitUndecided : CannotRunCode(begun.error());
  }
  if (*begun != 0) {
    fmt::print(stderr, "heddle shrink: {}\n",
               *begun == kExitDiverged ? "the replay diverges (heddle replay says where)"
                                       : "the program does not fail under this schedule");
    return *begun;
  }
  uint64_t before = input->schedule.Switches();
  shrinker.Search();
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r");
  analysis::RemoveRunFiles(run->folder);
  std::string path = options.save.empty() ? *folder + "/schedule" : options.save;
  Status saved = WriteFileAtomic(path, sched::PrintSchedule(shrinker.best()));
  if (!saved) return Fail("shrink", saved.error());
  uint64_t after = shrinker.best().Switches();
  std::string result = after < before ? fmt::format("{} instead of {}, {} steps instead of {}", Switches(after), before,
                                                    shrinker.best().Steps(), input->schedule.Steps())
                                      : fmt::format("already minimal: {}", Switches(before));
  fmt::print(stderr, "{}, after {} run{}: {}\n", result, shrinker.runs(), shrinker.runs() == 1 ? "" : "s", path);
  return kExitClean;
}

int RunShrink(const Arguments& arguments) {
  CLI::App app("Reduces a failing schedule to the fewest context switches", "heddle shrink");
  ShrinkOptions options;
  app.add_option("SCHEDULE", options.input, "a schedule, a results folder, or the id of a finding")->required();
  app.add_option("COMMAND", options.command, "after --: the program and its arguments");
  app.add_option("--save-schedule", options.save, "where the result goes (default: the results folder)")
      ->type_name("FILE");
  app.add_option("--time", options.time, "time limit of the search")->type_name("TIME")->capture_default_str();
  app.add_option("--run-time", options.run_time, "time limit of one run")->type_name("TIME")->capture_default_str();
  app.add_option("-o", options.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  app.footer(kShrinkExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<double> seconds = ParseDuration(options.time);
  if (!seconds) return Fail("shrink", seconds.error());
  Result<double> run_seconds = ParseDuration(options.run_time);
  if (!run_seconds) return Fail("shrink", run_seconds.error());
  return Execute(options, *seconds, *run_seconds);
}

}  // namespace

extern const Verb kShrinkVerb;
const Verb kShrinkVerb{"shrink", "the fewest context switches with which a schedule still fails", RunShrink};

}  // namespace heddle::cli
