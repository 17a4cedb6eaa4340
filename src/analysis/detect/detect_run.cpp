#include "analysis/detect/detect_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "analysis/target/outcome.h"
#include "analysis/target/process.h"
#include "analysis/target/run_files.h"
#include "base/file.h"
#include "detect/detect_findings.h"
#include "detect/tsan_options.h"
#include "wire/environment.h"

namespace heddle::analysis {
namespace {

using Clock = std::chrono::steady_clock;

// What the findings files say besides findings.
struct Said {
  bool cut = false;  // the disk became full, or the process died while it wrote; findings are missing
  std::string options;
  std::string suppressions;
};

Status Analyse(const std::string& folder, const std::string& program, const ChildEnd& end, findings::Report& report,
               Said* said) {
  std::vector<std::string> files = FindingsFiles(folder);
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
    if (!detect::IsFindingsFile(*text)) return MakeError(ErrorCode::kBadInput, path + ": not a findings file");
    detect::FindingsFile file = detect::ParseFindingsFile(*text);
    if (first) {
      AddOutcome(end, file, false, report);
      said->options = file.options;
      said->suppressions = file.suppressions;
    }
    first = false;
    detect::AddFindings(file, report);
    said->cut = said->cut || !text->ends_with('\n');
  }
  return {};
}

// What the program and the environment ask of ThreadSanitizer.
Status Heed(const Said& said, DetectEnd& end) {
  detect::TsanOptions options;
  detect::ReadTsanOptions(said.options, &options);
  const char* environment = std::getenv("TSAN_OPTIONS");
  if (environment != nullptr) detect::ReadTsanOptions(environment, &options);
  end.suppressions = said.suppressions;
  end.hide = [options](findings::Report& report) { detect::ApplyTsanOptions(options, report); };
  if (options.suppressions.empty()) return {};
  Result<std::string> text = ReadFile(options.suppressions);
  if (!text) return MakeError(ErrorCode::kBadInput, text.error().message);
  end.suppressions += *text;
  return {};
}

std::string RuntimeOptions(const DetectRun& run) {
  std::string text = fmt::format("std={}", run.release_sequences_of_cxx11 ? 11 : 20);
  if (run.weak) text += fmt::format(":weak=1:seed={}:stores={}", run.seed, run.stores);
  return text;
}

ChildOptions Surroundings(const DetectRun& run, const std::string& folder) {
  ChildOptions child;
  child.environment = {Assign(wire::variable::kMode, "detect"),
                       Assign(wire::variable::kFindings, folder + kFindingsName),
                       Assign(wire::variable::kOptions, RuntimeOptions(run))};
  child.seconds = run.seconds;
  return child;
}

}  // namespace

Result<DetectEnd> DetectProgram(const DetectRun& run) {
  Clock::time_point start = Clock::now();
  std::error_code failure;
  std::string folder = std::filesystem::absolute(run.folder, failure).string();
  Result<ChildEnd> end = run.target->Run(run.command, Surroundings(run, folder));
  if (!end) return end.error();
  DetectEnd whole;
  findings::Report& report = whole.report;
  report.tool_version = HEDDLE_VERSION;
  report.program = run.command[0];
  report.arguments.assign(run.command.begin() + 1, run.command.end());
  report.exit = end->code;
  report.coverage.runs = 1;
  Said said;
  if (Status analysed = Analyse(folder, run.command[0], *end, report, &said); !analysed) return analysed.error();
  if (Status heeded = Heed(said, whole); !heeded) return heeded.error();
  if (end->code != 0 && end->signal == 0) {
    report.coverage.note +=
        fmt::format("{}the program ended with exit code {}", report.coverage.note.empty() ? "" : "; ", end->code);
  }
  if (said.cut && report.coverage.undecided.empty()) {
    report.coverage.undecided =
        fmt::format("the findings file in {} is cut: findings are missing (is the disk full?)", run.folder);
  }
  report.coverage.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return whole;
}

}  // namespace heddle::analysis
