// A report: the findings of one command and what the command covered. Reports are merged, compared and kept as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/finding.h"

namespace heddle::findings {

inline constexpr std::string_view kReportSchema = "heddle/report/1";

// What was looked at, so that "no findings" says what it means.
struct Coverage {
  bool complete = false;    // nothing that `scope` names was left out
  std::string scope;        // "all reorderings of this trace checked"; "" for a run that was only watched
  std::string bound;        // what stopped the search when not complete: "the time limit of 60 s"
  std::string undecided;    // why "no findings" cannot be said at all: the run was cut, killed or denied; "" mostly
  std::string note;         // what else the reader should know of how it was done; "" mostly
  uint64_t runs = 0;        // of the program that were watched
  uint64_t executions = 0;  // that a search went through
  uint64_t blocked = 0;     // of these, abandoned as redundant
  uint64_t succeeded = 0;   // of the runs and executions, those that ended with exit code 0 ...
  uint64_t failed = 0;      // ... and with another; the rest did not end by themselves, or are not known
  uint64_t events = 0;
  uint64_t threads = 0;
  double seconds = 0;

  bool operator==(const Coverage&) const = default;
};

// The scope of a prediction: nothing is said about runs with other operations.
inline constexpr std::string_view kOneTrace = "all reorderings of this trace checked";

// Whether the command went through every execution of the program with this input, so that what it did not see is not
// there. A complete prediction is about one trace, which is less.
bool SearchedAll(const Coverage& coverage);

// What became of one test of a suite (`heddle check --ctest`).
enum class TestEnd {
  kClean,      // nothing found
  kFindings,   // something found; the test itself may have passed
  kUndecided,  // it was cut, killed or could not be analysed: TestResult::reason
};
std::string_view TestEndName(TestEnd end);  // "clean", ...

struct TestResult {
  std::string name;
  TestEnd end = TestEnd::kClean;
  std::string reason;                 // of kUndecided
  std::vector<std::string> findings;  // their ids in the report
  bool complete = false;              // Coverage::complete of this test alone
  bool searched = false;              // SearchedAll of this test alone
  double seconds = 0;

  bool operator==(const TestResult&) const = default;
};

struct Report {
  std::string tool_version;
  std::string program;                 // as given on the command line
  std::vector<std::string> arguments;  // of the program
  std::optional<int> exit;             // of the program as a shell shows it (128 + signal); none: it was not run
  std::vector<Finding> findings;
  Coverage coverage;
  std::vector<TestResult> tests;  // of a suite; else empty

  bool operator==(const Report&) const = default;
};

// Takes a finding in: sets its fingerprint when it has none, joins it with the one that has the same fingerprint (count
// added, stronger status and its witness win), else appends it as F<n+1>. Returns the finding in the report; the
// reference holds until the next call.
Finding& AddFinding(Report& report, Finding finding);

// All findings and tests of both, findings joined by fingerprint; coverage added up (complete only when both are).
// Program, arguments and exit are the first report's. Ids of `into` stay.
void Merge(Report& into, const Report& other);

struct Comparison {
  std::vector<const Finding*> added;      // only in `after`
  std::vector<const Finding*> gone;       // only in `before`: fixed when SearchedAll(after.coverage), else not seen
  std::vector<const Finding*> unchanged;  // of `after`
};

// Suppressed and known findings count as absent. The pointers are into the two reports.
Comparison Compare(const Report& before, const Report& after);

// Findings that count (see Active).
uint64_t ActiveCount(const Report& report);

}  // namespace heddle::findings
