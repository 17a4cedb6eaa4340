// A list of tests that wait, and at most `jobs` that run. Each running test is a child process, `heddle check` with the
// test's command, its folder and its budget. Its report is read when it ends. Nothing of a test's own output is shown;
// the last line of what its heddle said becomes the reason when there is no report.
#include "analysis/check/run_suite.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "analysis/target/controlled_run.h"
#include "analysis/target/interrupt.h"
#include "analysis/target/outcome.h"
#include "analysis/target/process.h"
#include "base/duration.h"
#include "findings/report_json.h"
#include "wire/environment.h"

namespace heddle::analysis {
namespace {

constexpr double kGrace = 20;  // heddle keeps to its budget by itself; this is for one that does not
constexpr long kTick = 20'000'000;
constexpr size_t kMostNamed = 5;

struct Running {
  size_t test = 0;
  std::string results;
  double start = 0;
  std::unique_ptr<Child> child;
};

class Suite {
 public:
  Suite(const std::vector<TestCase>& tests, const SuiteOptions& options) : tests_(tests), options_(options) {}

  Result<findings::Report> Run(const std::function<void(const SuiteProgress&)>& tell) {
    start_ = MonotonicSeconds();
    Interrupt interrupt;
    while (next_ < tests_.size() || !running_.empty()) {
      while (!Interrupt::Came() && next_ < tests_.size() && running_.size() < options_.jobs) {
        if (Status begun = Begin(next_++); !begun) return begun.error();
      }
      if (Interrupt::Came()) SkipTheRest();
      Collect();
      tell(Progress());
      timespec pause{0, kTick};
      nanosleep(&pause, nullptr);
    }
    FinishSuite(report_);
    report_.coverage.seconds = MonotonicSeconds() - start_;
    return std::move(report_);
  }

 private:
  Status Begin(size_t index) {
    const TestCase& test = tests_[index];
    if (test.command.empty()) {
      TestOutcome outcome;
      outcome.code = 127;
      outcome.last_line = "its program was not built";
      AddTest(test, outcome, report_);
      return {};
    }
    std::error_code failure;
    Running run;
    run.test = index;
    run.results = std::filesystem::absolute(TestFolder(options_.folder, index), failure).string();
    std::filesystem::create_directories(run.results, failure);
    if (failure) return MakeError(ErrorCode::kIo, fmt::format("{}: {}", run.results, failure.message()));
    std::vector<std::string> command = {
        options_.heddle,
        "check",
        "-o",
        run.results,
        "--time",
        fmt::format("{}ms", static_cast<uint64_t>(options_.seconds * 1000)),
        "--explore",
        options_.explore_seconds > 0 ? fmt::format("{}ms", static_cast<uint64_t>(options_.explore_seconds * 1000))
                                     : "0",
        "--suppressions",
        "/dev/null",
        "--no-history"};
    if (options_.time != wire::TimeMode::kByStrategy) {
      command.insert(command.end(), {"--time-mode", wire::WordOf(options_.time)});
    }
    if (options_.map) command.insert(command.end(), {"--coverage", run.results + "/coverage.json"});
    command.emplace_back("--");
    command.insert(command.end(), test.command.begin(), test.command.end());
    ChildOptions child;
    child.quiet = true;
    child.environment = test.environment;
    child.environment.push_back(Assign(wire::variable::kConfig, ""));  // its options are those of the suite
    child.directory = test.directory;
    run.start = MonotonicSeconds();
    Result<std::unique_ptr<Child>> started = Child::Start(command, child);
    if (!started) {
      TestOutcome outcome;
      outcome.code = 127;
      outcome.last_line = started.error().message;
      AddTest(test, outcome, report_);
      return {};
    }
    run.child = started.Take();
    running_.push_back(std::move(run));
    return {};
  }

  void Collect() {
    for (size_t i = 0; i < running_.size();) {
      Running& run = running_[i];
      std::optional<ChildEnd> end = run.child->Poll();
      double budget = options_.seconds * (options_.map ? 2 : 1);
      bool late = !end && MonotonicSeconds() - run.start > budget + kGrace;
      if (late) {
        end = run.child->Stop();
        end->timed_out = true;
      }
      if (!end) {
        ++i;
        continue;
      }
      End(run, *end);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void End(const Running& run, const ChildEnd& end) {
    TestOutcome outcome;
    outcome.code = end.code;
    outcome.timed_out = end.timed_out;
    outcome.stopped = end.stopped || Interrupt::Came();
    outcome.results = run.results;
    outcome.seconds = MonotonicSeconds() - run.start;
    std::vector<std::string> last = LastLines(end.output, 1);
    if (!last.empty()) outcome.last_line = last[0];
    Result<findings::Report> report = findings::LoadReport(run.results + "/latest/report.json");
    if (report) outcome.report = &*report;
    AddTest(tests_[run.test], outcome, report_);
  }

  void SkipTheRest() {
    for (; next_ < tests_.size(); ++next_) {
      TestOutcome outcome;
      outcome.stopped = true;
      AddTest(tests_[next_], outcome, report_);
    }
  }

  SuiteProgress Progress() const {
    SuiteProgress progress;
    progress.done = report_.tests.size();
    progress.total = tests_.size();
    progress.findings = report_.findings.size();
    for (const Running& run : running_) progress.running.push_back(tests_[run.test].name);
    progress.seconds = MonotonicSeconds() - start_;
    return progress;
  }

  const std::vector<TestCase>& tests_;
  const SuiteOptions& options_;
  findings::Report report_;
  std::vector<Running> running_;
  size_t next_ = 0;
  double start_ = 0;
};

std::string ReasonOf(const TestOutcome& outcome) {
  if (outcome.stopped) return "stopped by a signal";
  if (outcome.timed_out) return "heddle did not end within the test's budget";
  if (outcome.report != nullptr && !outcome.report->coverage.undecided.empty()) {
    return outcome.report->coverage.undecided;
  }
  // Only 0, and 1 with something found, are answers.
  bool answer =
      outcome.code == 0 || (outcome.code == 1 && outcome.report != nullptr && !outcome.report->findings.empty());
  if (outcome.report == nullptr || !answer) {
    return outcome.last_line.empty() ? fmt::format("heddle ended with exit code {}", outcome.code) : outcome.last_line;
  }
  return {};
}

// What its author says about its exit code and output. ctest would not call such a test passed.
std::string AuthorsReason(const TestCase& test, const findings::Report& report) {
  if (test.skip_code != 0 && report.exit == test.skip_code) {
    return fmt::format("it skipped itself (exit code {})", test.skip_code);
  }
  if (test.will_fail && report.exit == 0) return "its author expects it to fail (WILL_FAIL), and it passed";
  if (test.judged_by.empty()) return {};
  return fmt::format("ctest judges it by what it prints ({}), which heddle does not", test.judged_by);
}

// Whether an exit code that is not 0 is no finding.
bool CodeIsExpected(const TestCase& test, const findings::Report& report) {
  return test.will_fail || (test.skip_code != 0 && report.exit == test.skip_code) || test.judged_by.starts_with("PASS");
}

void AddCoverage(const findings::Coverage& more, findings::Coverage& sum) {
  sum.runs += more.runs;
  sum.executions += more.executions;
  sum.blocked += more.blocked;
  sum.succeeded += more.succeeded;
  sum.failed += more.failed;
  sum.events += more.events;
  sum.threads = std::max(sum.threads, more.threads);
}

}  // namespace

std::string TestFolder(const std::string& folder, size_t index) {
  return fmt::format("{}/tests/{}", folder, index + 1);
}

void AddTest(const TestCase& test, const TestOutcome& outcome, findings::Report& suite) {
  findings::TestResult result;
  result.name = test.name;
  result.seconds = outcome.seconds;
  result.reason = ReasonOf(outcome);
  if (outcome.report != nullptr) {
    if (result.reason.empty()) result.reason = AuthorsReason(test, *outcome.report);
    if (suite.tool_version.empty()) suite.tool_version = outcome.report->tool_version;
    AddCoverage(outcome.report->coverage, suite.coverage);
    result.complete = outcome.report->coverage.complete;
    result.searched = result.reason.empty() && findings::SearchedAll(outcome.report->coverage);
    for (findings::Finding finding : outcome.report->findings) {
      if (CodeIsExpected(test, *outcome.report) && finding.kind == findings::Kind::kFailure) continue;
      finding.tests = {test.name};
      if (!finding.schedule.empty()) finding.replay = "heddle replay " + CommandText({finding.schedule});
      std::string id = findings::AddFinding(suite, std::move(finding)).id;
      if (std::find(result.findings.begin(), result.findings.end(), id) == result.findings.end()) {
        result.findings.push_back(id);
      }
    }
  }
  result.end = !result.findings.empty() ? findings::TestEnd::kFindings
               : !result.reason.empty() ? findings::TestEnd::kUndecided
                                        : findings::TestEnd::kClean;
  suite.tests.push_back(std::move(result));
}

void FinishSuite(findings::Report& suite) {
  findings::Coverage& coverage = suite.coverage;
  size_t complete = 0;
  std::string named;
  size_t undecided = 0;
  for (const findings::TestResult& test : suite.tests) {
    complete += test.complete && test.reason.empty() ? 1 : 0;
    if (test.reason.empty() || ++undecided > kMostNamed) continue;
    named += fmt::format("{}{} ({})", named.empty() ? "" : ", ", test.name, test.reason);
  }
  if (undecided > kMostNamed) named += fmt::format(" and {} more", undecided - kMostNamed);
  if (undecided > 0) {
    coverage.undecided = fmt::format("{} of {} tests: {}", undecided, suite.tests.size(), named);
  }
  coverage.complete = complete == suite.tests.size() && complete > 0;
  if (coverage.complete) {
    coverage.scope = fmt::format("each of {} tests complete", complete);
  } else {
    coverage.bound = fmt::format("{} of {} tests complete", complete, suite.tests.size());
  }
}

Result<findings::Report> RunSuite(const std::vector<TestCase>& tests, const SuiteOptions& options,
                                  const std::function<void(const SuiteProgress&)>& tell) {
  return Suite(tests, options).Run(tell);
}

}  // namespace heddle::analysis
