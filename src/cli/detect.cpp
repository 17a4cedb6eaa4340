// heddle detect: runs a program under the detector and reports the races, deadlocks and misuse that it saw.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <random>

#include "analysis/detect/detect_run.h"
#include "analysis/target/results_dir.h"
#include "base/duration.h"
#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

constexpr const char* kDetectExamples =
    "The program must be built with heddle cc or heddle c++. Runs at full speed: what depends on timing that did not\n"
    "occur is not seen. With --weak, atomic loads may read older stores where the memory model lets them.\n"
    "Examples:\n"
    "  heddle detect -- ./server --once\n"
    "  heddle detect --json out.json --std c++11 -- ./test\n"
    "  heddle detect --weak --seed 7 -- ./queue_test\n"
    "Exit code: 0 nothing found, 1 findings, 2 usage, 3 could not analyse, 126/127 the program cannot run.";

struct DetectOptions {
  std::vector<std::string> command;
  std::string root;
  std::string standard = "c++20";
  std::string time;
  bool weak = false;
  std::optional<uint32_t> seed;
  uint32_t stores = 128;
  ReportOptions report;
};

int Detect(const DetectOptions& options, double limit) {
  if (Status inputs = CheckReportInputs(options.report); !inputs) return Fail("detect", inputs.error());
  std::string root = analysis::ResultsRoot(options.root);
  Result<std::string> folder = analysis::NewResults(root, "detect");
  if (!folder) return Fail("detect", folder.error());
  analysis::DetectRun run;
  run.command = options.command;
  run.folder = *folder;
  run.release_sequences_of_cxx11 = options.standard == "c++11";
  run.weak = options.weak;
  run.seed = options.seed.value_or(std::random_device()() >> 1U);
  run.stores = options.stores;
  run.seconds = limit;
  if (options.weak) fmt::print(stderr, "heddle detect: weak behaviours with --seed {}\n", run.seed);
  Result<analysis::DetectEnd> end = analysis::DetectProgram(run);
  if (!end) {
    Fail("detect", end.error());
    bool not_built_for_it = end.error().code == ErrorCode::kUnsupported || end.error().code == ErrorCode::kBadInput;
    return not_built_for_it ? static_cast<int>(kExitUndecided) : CannotRunCode(end.error());
  }
  ReportOptions output = options.report;
  output.more_suppressions = end->suppressions;
  output.hide = end->hide;
  int code = EmitReport("detect", end->report, output, stderr);
  return KeepResults("detect", root, *folder, end->report, code);
}

int RunDetect(const Arguments& arguments) {
  CLI::App app("Finds races, deadlocks and misuse of locks while a program runs", "heddle detect");
  DetectOptions options;
  app.add_option("COMMAND", options.command, "after --: the program and its arguments")->required();
  app.add_option("-o", options.root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  app.add_option("--std", options.standard, "whose release sequences: c++20 or c++11")
      ->check(CLI::IsMember({"c++20", "c++11"}))
      ->capture_default_str();
  app.add_option("--time", options.time, "time limit of the run: 500ms, 60s, 5m (default none)")->type_name("TIME");
  CLI::Option* weak = app.add_flag("--weak", options.weak, "atomic loads may read older stores");
  app.add_option("--seed", options.seed, "decides which (default: a new one each time, printed)")
      ->check(CLI::Range(0U, 2147483647U))
      ->needs(weak);
  app.add_option("--stores", options.stores, "stores kept for each atomic location")
      ->check(CLI::Range(1U, 128U))
      ->needs(weak)
      ->capture_default_str();
  AddReportOptions(app, options.report);
  app.footer(kDetectExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  double seconds = 0;
  if (!options.time.empty()) {
    Result<double> limit = ParseDuration(options.time);
    if (!limit) return Fail("detect", limit.error());
    seconds = *limit;
  }
  return Detect(options, seconds);
}

}  // namespace

extern const Verb kDetectVerb;
const Verb kDetectVerb{"detect", "races, deadlocks and misuse while the program runs", RunDetect};

}  // namespace heddle::cli
