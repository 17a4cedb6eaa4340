// The tests of a suite that a change can touch, for `heddle check --since` and `--only`.
#pragma once

#include <string>
#include <vector>

#include "analysis/check/suite.h"
#include "analysis/coverage/coverage_map.h"
#include "base/result.h"

namespace heddle::analysis {

struct TestChoice {
  std::vector<TestCase> run;
  std::vector<std::string> reasons;  // why, for each of them
  size_t left_out = 0;
};

// Tests whose executed code differs from `revision`, or from the revision at which their map was made: a map is right
// only as long as what it was made from did not change. `root`: of the results.
Result<TestChoice> TestsSince(const std::vector<TestCase>& tests, const CoverageMap& map, const std::string& revision,
                              const std::string& root);

// Tests that executed code of these files. An error for a file of which no test's program has code.
Result<TestChoice> TestsOf(const std::vector<TestCase>& tests, const CoverageMap& map,
                           const std::vector<std::string>& files);

}  // namespace heddle::analysis
