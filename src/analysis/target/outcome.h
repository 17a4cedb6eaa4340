// What the way in which a program ended says: a finding (crash, failed assertion, failure by its own word), or that the
// run does not let us say "no findings" (killed from outside, stopped, denied).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/target/process.h"
#include "detect/findings_file.h"
#include "findings/report.h"

namespace heddle::analysis {

// Names of the tests that the output of GoogleTest, Catch2 or doctest calls failed, in its order, each once.
std::vector<std::string> FailedTests(std::string_view output);

// The last line in which libc's assert says what failed; "" when there is none.
std::string AssertionIn(std::string_view output);

// The last lines that are not empty, at most so many and not longer than a screen is wide.
std::vector<std::string> LastLines(std::string_view output, size_t most);

// Adds what the end says to findings and coverage. `exit_counts`: an exit code that is not 0 is a failure.
void AddOutcome(const ChildEnd& end, const detect::FindingsFile& file, bool exit_counts, findings::Report& report);

// Why nothing could be watched, when another allocator is in the program; else empty.
std::string AllocatorText(const detect::FindingsFile& file);

// Executions that ended by themselves.
struct Outcomes {
  uint64_t succeeded = 0;  // exit code 0
  uint64_t failed = 0;
  std::map<std::string, uint64_t> tests;  // in how many of them a test failed, where the output says so
};

// Says of each finding of kind failure in how many executions it comes. `complete`: there are no others.
void ExplainFailures(const Outcomes& outcomes, bool complete, findings::Report& report);

}  // namespace heddle::analysis
