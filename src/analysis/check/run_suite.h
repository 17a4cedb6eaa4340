// Checks the tests of a suite, each by a heddle of its own: a test that hangs or crashes, and a heddle that fails on
// it, end only that test. Findings are joined by fingerprint and carry the names of the tests that show them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/check/suite.h"
#include "base/result.h"
#include "findings/report.h"
#include "wire/control_words.h"

namespace heddle::analysis {

struct SuiteOptions {
  std::string heddle;   // the program that checks one test
  std::string folder;   // results of each test go to folder/tests/N
  double seconds = 60;  // budget of each test
  double explore_seconds = 5;
  wire::TimeMode time = wire::TimeMode::kByStrategy;
  uint32_t jobs = 1;
  bool map = false;  // also record which code each test executes, in folder/tests/N/coverage.json
};

struct SuiteProgress {
  size_t done = 0;
  size_t total = 0;
  uint64_t findings = 0;             // different ones
  std::vector<std::string> running;  // names
  double seconds = 0;
};

// The results of test number `index` of the suite (from 0).
std::string TestFolder(const std::string& folder, size_t index);

// `tell` is called a few times a second. When heddle is asked to stop, tests that have not ended are undecided.
Result<findings::Report> RunSuite(const std::vector<TestCase>& tests, const SuiteOptions& options,
                                  const std::function<void(const SuiteProgress&)>& tell);

// What one test's heddle left: its exit code, the report (null: there is none that can be read) and what it printed
// last. Adds it all to `suite`.
struct TestOutcome {
  int code = 0;
  bool timed_out = false;  // heddle itself did not end in time
  bool stopped = false;
  const findings::Report* report = nullptr;
  std::string last_line;
  std::string results;  // its folder
  double seconds = 0;
};
void AddTest(const TestCase& test, const TestOutcome& outcome, findings::Report& suite);

// Says in the coverage how many tests are complete, and which are undecided.
void FinishSuite(findings::Report& suite);

}  // namespace heddle::analysis
