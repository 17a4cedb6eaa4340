// heddle detect: runs a program under the detector and reports the races, deadlocks and misuse that it saw.
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>

#include "analysis/target/outcome.h"
#include "analysis/target/process.h"
#include "analysis/target/results_dir.h"
#include "base/duration.h"
#include "base/file.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "detect/detect_findings.h"
#include "detect/tsan_options.h"
#include "findings/report_json.h"

namespace heddle::cli {
namespace {

constexpr const char* kExamples =
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

double Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The files of the process and of those it forked.
std::vector<std::string> RecordFiles(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    if (entry.path().filename().string().starts_with("findings.record")) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What the records say besides findings.
struct Said {
  bool cut = false;  // the disk became full, or the process died while it wrote; findings are missing
  std::string options;
  std::string suppressions;
};

Status Analyse(const std::string& folder, const std::string& program, const analysis::ChildEnd& end,
               findings::Report& report, Said* said) {
  std::vector<std::string> files = RecordFiles(folder);
  if (files.empty()) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: the program wrote no findings file: it was not built with heddle cc (or could "
                                 "not write to {})",
                                 program, folder));
  }
  bool first = true;
  for (const std::string& path : files) {
    Result<std::string> text = ReadFile(path);
    if (!text) return text.error();
    if (!detect::IsRecord(*text)) return MakeError(ErrorCode::kBadInput, path + ": not a findings file");
    detect::Record record = detect::ParseRecord(*text);
    if (first) {
      analysis::AddOutcome(end, record, false, report);
      said->options = record.options;
      said->suppressions = record.suppressions;
    }
    first = false;
    detect::AddFindings(record, report);
    said->cut = said->cut || !text->ends_with('\n');
  }
  return {};
}

// What the program and the environment ask of ThreadSanitizer holds for heddle too.
Status HeedTsanOptions(const Said& said, ReportOptions* output) {
  detect::TsanOptions options;
  detect::ReadTsanOptions(said.options, &options);
  const char* environment = std::getenv("TSAN_OPTIONS");
  if (environment != nullptr) detect::ReadTsanOptions(environment, &options);
  output->more_suppressions = said.suppressions;
  if (!options.suppressions.empty()) {
    Result<std::string> text = ReadFile(options.suppressions);
    if (!text) return text.error();
    output->more_suppressions += *text;
  }
  output->hide = [options](findings::Report& report) { detect::ApplyTsanOptions(options, report); };
  return {};
}

std::string RuntimeOptions(const DetectOptions& options, uint32_t seed) {
  std::string text = fmt::format("HEDDLE_OPTIONS=std={}", options.standard == "c++11" ? 11 : 20);
  if (options.weak) text += fmt::format(":weak=1:seed={}:stores={}", seed, options.stores);
  return text;
}

int Detect(const DetectOptions& options, double limit) {
  double start = Now();
  if (Status inputs = CheckReportInputs(options.report); !inputs) return Fail("detect", inputs.error());
  std::string root = analysis::ResultsRoot(options.root);
  Result<std::string> folder = analysis::NewResults(root, "detect");
  if (!folder) return Fail("detect", folder.error());
  std::error_code failure;
  std::string absolute = std::filesystem::absolute(*folder, failure).string();
  analysis::ChildOptions child;
  uint32_t seed = options.seed.value_or(std::random_device()() >> 1U);
  child.environment = {"HEDDLE_MODE=detect", "HEDDLE_RECORD=" + absolute + "/findings.record",
                       RuntimeOptions(options, seed)};
  if (options.weak) fmt::print(stderr, "heddle detect: weak behaviours with --seed {}\n", seed);
  child.seconds = limit;
  Result<analysis::ChildEnd> end = analysis::RunChild(options.command, child);
  if (!end) {
    Fail("detect", end.error());
    return CannotRunCode(end.error());
  }
  findings::Report report;
  report.tool_version = HEDDLE_VERSION;
  report.program = options.command[0];
  report.arguments.assign(options.command.begin() + 1, options.command.end());
  report.exit = end->code;
  report.coverage.runs = 1;
  Said said;
  Status analysed = Analyse(absolute, options.command[0], *end, report, &said);
  ReportOptions output = options.report;
  if (analysed) analysed = HeedTsanOptions(said, &output);
  if (!analysed) {
    Fail("detect", analysed.error());
    return kExitUndecided;
  }
  if (end->code != 0 && end->signal == 0) {
    report.coverage.note +=
        fmt::format("{}the program ended with exit code {}", report.coverage.note.empty() ? "" : "; ", end->code);
  }
  if (said.cut && report.coverage.undecided.empty()) {
    report.coverage.undecided =
        fmt::format("the findings file in {} is cut: findings are missing (is the disk full?)", *folder);
  }
  report.coverage.seconds = Now() - start;
  int code = EmitReport("detect", report, output, stderr);
  Status saved = findings::SaveReport(report, *folder + "/report.json");
  if (saved) saved = analysis::PublishResults(root, *folder);
  if (!saved) return Fail("detect", saved.error());
  return code;
}

int Run(const Arguments& arguments) {
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
  app.footer(kExamples);
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
const Verb kDetectVerb{"detect", "races, deadlocks and misuse while the program runs", Run};

}  // namespace heddle::cli
