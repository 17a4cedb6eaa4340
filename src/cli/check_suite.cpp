#include "cli/check_suite.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/check/run_suite.h"
#include "analysis/coverage/select_tests.h"
#include "analysis/target/results_dir.h"
#include "base/file.h"
#include "cli/terminal.h"
#include "cli/verb.h"
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
class SuiteProgressLine {
 public:
  // `budget`: seconds of each test. `jobs`: at a time.
  SuiteProgressLine(double budget, uint32_t jobs) : budget_(budget), jobs_(jobs) {}

  void Show(const analysis::SuiteProgress& progress) {
    bool terminal = isatty(STDERR_FILENO) != 0;
    double pause = terminal ? 0.2 : kQuietSeconds;
    if (progress.seconds < said_ + pause) return;
    said_ = progress.seconds;
    std::string names;
    for (const std::string& name : progress.running) names += (names.empty() ? ": " : ", ") + name;
    double rounds = std::ceil(static_cast<double>(progress.total - progress.done) / jobs_);
    std::string line = fmt::format("{}/{} tests, {}, {:.0f} s, at most {:.0f} s left{}", progress.done, progress.total,
                                   Plural(progress.findings, "finding"), progress.seconds, rounds * budget_, names);
    line = findings::CutTo(findings::Printable(line), ScreenWidth(stderr) - 1);
    fmt::print(stderr, "{}{}{}", terminal ? "\r" : "", line, terminal ? "\x1b[K" : "\n");
  }

  static void Clear() {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  double budget_;
  uint32_t jobs_;
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
  if (!line.empty()) fmt::print(stderr, "longest: {}\n", line);
}

constexpr size_t kMostReasons = 20;

// The tests that --since and --only leave, with the reasons on standard error.
Status Choose(const SuiteSource& source, const std::string& root, std::vector<analysis::TestCase>& tests,
              std::string& left_out) {
  if (source.since.empty() && source.only.empty()) return {};
  Result<analysis::CoverageMap> map = analysis::LoadCoverageMap(root);
  if (!map) return map.error();
  Result<analysis::TestChoice> choice = source.only.empty() ? analysis::TestsSince(tests, *map, source.since, root)
                                                            : analysis::TestsOf(tests, *map, source.only);
  if (!choice) return choice.error();
  size_t all = tests.size();
  for (size_t i = 0; i < std::min(choice->run.size(), kMostReasons); ++i) {
    fmt::print(stderr, "{}: {}\n", findings::Printable(choice->run[i].name), findings::Printable(choice->reasons[i]));
  }
  if (choice->run.size() > kMostReasons) fmt::print(stderr, "and {} more\n", choice->run.size() - kMostReasons);
  if (choice->left_out > 0) {
    std::string why = source.only.empty() ? "what they execute did not change since " + source.since
                                          : "they execute no code of --only";
    left_out = fmt::format("{} of {} tests not run: {}", choice->left_out, all, why);
  }
  tests = choice->run;
  return {};
}

// Takes what the tests executed, and how they ended, into the map of the results folder.
Status UpdateMap(const std::string& root, const std::string& folder, const std::vector<analysis::TestCase>& tests,
                 const findings::Report& report) {
  Result<analysis::CoverageMap> map = analysis::LoadCoverageMap(root);
  if (!map) map = analysis::CoverageMap{};  // a damaged one is made anew
  for (size_t i = 0; i < tests.size(); ++i) {
    const analysis::TestCase& test = tests[i];
    std::string path = analysis::TestFolder(folder, i) + "/coverage.json";
    Result<std::string> text = ReadFile(path);
    Result<analysis::CoverageMap> one =
        text ? analysis::ParseCoverageMap(path, *text) : Result<analysis::CoverageMap>(text.error());
    if (one && one->size() == 1) {
      (*map)[test.name] = one->begin()->second;
    } else if (text) {
      map->erase(test.name);
    }
    auto known = map->find(test.name);
    if (known == map->end()) continue;
    known->second.clean = std::any_of(report.tests.begin(), report.tests.end(), [&](const findings::TestResult& end) {
      return end.name == test.name && end.end == findings::TestEnd::kClean;
    });
  }
  return map->empty() ? Status{} : WriteFileAtomic(analysis::CoverageMapPath(root), analysis::CoverageMapJson(*map));
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
  std::string left_out;
  if (Status chosen = Choose(run.source, root, *cases, left_out); !chosen) return Fail("check", chosen.error());
  Result<std::string> folder = analysis::NewResults(root, "check");
  if (!folder) return Fail("check", folder.error());
  analysis::SuiteOptions options;
  std::error_code failure;
  options.heddle = std::filesystem::read_symlink("/proc/self/exe", failure);
  options.folder = *folder;
  options.seconds = run.seconds;
  options.explore_seconds = run.explore_seconds;
  options.time = run.time;
  options.jobs = run.source.jobs;
  options.map = run.source.map;
  SuiteProgressLine line(run.seconds, run.source.jobs);
  Result<findings::Report> report =
      analysis::RunSuite(*cases, options, [&](const analysis::SuiteProgress& progress) { line.Show(progress); });
  SuiteProgressLine::Clear();
  if (!report) return Fail("check", report.error());
  report->program = SourceText(run.source);
  if (!left_out.empty()) {
    std::string& bound = report->coverage.bound;
    bound = report->tests.empty() || bound.empty() ? left_out : bound + "; " + left_out;
    report->coverage.complete = false;
    report->coverage.scope.clear();
  }
  if (Status mapped = UpdateMap(root, *folder, *cases, *report); !mapped) Fail("check", mapped.error());
  PrintTests(*report);
  int code = EmitReport("check", *report, run.report, stderr);
  return KeepResults("check", root, *folder, *report, code, run.history);
}

}  // namespace heddle::cli
