#include "cli/check_suite.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "analysis/check/run_suite.h"
#include "analysis/target/results_dir.h"
#include "base/file.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "findings/report_json.h"
#include "findings/width.h"

namespace heddle::cli {
namespace {

constexpr double kQuietSeconds = 10;  // between two lines when nobody watches a terminal
constexpr size_t kSlowest = 5;

std::string Plural(uint64_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

Result<std::vector<analysis::TestCase>> CasesOf(const SuiteSource& source) {
  if (!source.ctest.empty()) return analysis::CtestCases(source.ctest, source.filter);
  if (!source.gtest.empty()) return analysis::GtestCases(source.gtest, source.gtest_filter);
  Result<std::string> text = ReadFile(source.tests);
  if (!text) return text.error();
  return analysis::ParseTestFile(source.tests, *text);
}

std::string SourceText(const SuiteSource& source) {
  if (!source.ctest.empty()) return "ctest " + source.ctest;
  return source.gtest.empty() ? source.tests : source.gtest;
}

// "12/30 tests, 2 findings, 41 s: db_test, cache_test".
class ProgressLine {
 public:
  void Show(const analysis::SuiteProgress& progress) {
    bool terminal = isatty(STDERR_FILENO) != 0;
    double pause = terminal ? 0.2 : kQuietSeconds;
    if (progress.seconds < said_ + pause) return;
    said_ = progress.seconds;
    std::string names;
    for (const std::string& name : progress.running) names += (names.empty() ? ": " : ", ") + name;
    std::string line = fmt::format("{}/{} tests, {}, {:.0f} s{}", progress.done, progress.total,
                                   Plural(progress.findings, "finding"), progress.seconds, names);
    line = findings::CutTo(findings::Printable(line), ScreenWidth(stderr) - 1);
    fmt::print(stderr, "{}{}{}", terminal ? "\r" : "", line, terminal ? "\x1b[K" : "\n");
  }

  static void Clear() {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  double said_ = 0;
};

// How the tests ended, and which took longest.
void PrintTests(const findings::Report& report) {
  size_t ends[3] = {};
  for (const findings::TestResult& test : report.tests) ++ends[static_cast<size_t>(test.end)];
  fmt::print(stderr, "{}: {} without findings, {} with findings, {} not decided\n", Plural(report.tests.size(), "test"),
             ends[0], ends[1], ends[2]);
  std::vector<const findings::TestResult*> slow;
  for (const findings::TestResult& test : report.tests) slow.push_back(&test);
  std::sort(slow.begin(), slow.end(), [](const auto* a, const auto* b) { return a->seconds > b->seconds; });
  std::string line;
  for (size_t i = 0; i < std::min(slow.size(), kSlowest); ++i) {
    line += fmt::format("{}{} {:.1f} s", i == 0 ? "" : ", ", findings::Printable(slow[i]->name), slow[i]->seconds);
  }
  fmt::print(stderr, "longest: {}\n", line);
}

}  // namespace

int CheckSuite(const SuiteRun& run) {
  if (Status inputs = CheckReportInputs(run.report); !inputs) return Fail("check", inputs.error());
  Result<std::vector<analysis::TestCase>> cases = CasesOf(run.source);
  if (!cases) return Fail("check", cases.error());
  if (cases->empty()) {
    return Fail("check", MakeError(ErrorCode::kUsage, fmt::format("{}: there are no tests", SourceText(run.source))));
  }
  std::string root = analysis::ResultsRoot(run.root);
  Result<std::string> folder = analysis::NewResults(root, "check");
  if (!folder) return Fail("check", folder.error());
  analysis::SuiteOptions options;
  std::error_code failure;
  options.heddle = std::filesystem::read_symlink("/proc/self/exe", failure);
  options.folder = *folder;
  options.seconds = run.seconds;
  options.explore_seconds = run.explore_seconds;
  options.jobs = run.source.jobs;
  ProgressLine line;
  Result<findings::Report> report =
      analysis::RunSuite(*cases, options, [&](const analysis::SuiteProgress& progress) { line.Show(progress); });
  ProgressLine::Clear();
  if (!report) return Fail("check", report.error());
  report->program = SourceText(run.source);
  if (Status saved = findings::SaveReport(*report, *folder + "/report.json"); !saved) {
    return Fail("check", saved.error());
  }
  if (Status published = analysis::PublishResults(root, *folder); !published) return Fail("check", published.error());
  PrintTests(*report);
  return EmitReport("check", *report, run.report, stderr);
}

}  // namespace heddle::cli
