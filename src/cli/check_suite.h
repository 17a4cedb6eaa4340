// The part of heddle check that looks at a whole test suite.
#pragma once

#include <string>
#include <vector>

#include "cli/keep_results.h"
#include "cli/report_output.h"
#include "wire/control_words.h"

namespace heddle::cli {

struct SuiteSource {
  std::string ctest;         // a build folder
  std::string gtest;         // a program
  std::string tests;         // a file with commands
  std::string filter;        // -R
  std::string gtest_filter;  // --gtest_filter
  uint32_t jobs = 1;
  bool map = false;
  std::string since;              // --since REV
  std::vector<std::string> only;  // --only FILE...

  bool Given() const { return !ctest.empty() || !gtest.empty() || !tests.empty(); }
};

struct SuiteRun {
  SuiteSource source;
  std::string root;  // of the results
  double seconds = 60;
  double explore_seconds = 5;
  wire::TimeMode time = wire::TimeMode::kByStrategy;
  HistoryUse history = HistoryUse::kAdd;
  ReportOptions report;
};

// The exit code.
int CheckSuite(const SuiteRun& run);

}  // namespace heddle::cli
