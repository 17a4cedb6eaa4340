// The tests that a team has: which programs `heddle check` is to look at, one after the other or several at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle::analysis {

struct TestCase {
  std::string name;
  std::vector<std::string> command;      // empty: its program was not built
  std::string directory;                 // to run it in; empty: the current one
  std::vector<std::string> environment;  // NAME=VALUE, added
  bool will_fail = false;                // an exit code that is not 0 is what its author expects
  int skip_code = 0;                     // an exit code by which it says that it did not run; 0: none
  std::string
      judged_by;  // ctest's property by which its output decides, PASS_REGULAR_EXPRESSION; heddle does not look at it

  bool operator==(const TestCase&) const = default;
};

// What `ctest --show-only=json-v1` prints. Tests that are disabled are left out; one whose program was not built has no
// command.
Result<std::vector<TestCase>> ParseCtest(const std::string& json);

// What `BINARY --gtest_list_tests` prints; each test is run alone.
Result<std::vector<TestCase>> ParseGtestList(const std::string& binary, std::string_view list);

// One command a line, words as in a shell ('...', "...", \x); empty lines and lines that begin with # are left out.
// `name`: of the file, for messages.
Result<std::vector<TestCase>> ParseTestFile(const std::string& name, std::string_view text);

// The same by asking ctest (`filter`: its -R) and the program (`filter`: its --gtest_filter); empty: all tests. Errors
// say what was printed.
Result<std::vector<TestCase>> CtestCases(const std::string& build, const std::string& filter);
Result<std::vector<TestCase>> GtestCases(const std::string& binary, const std::string& filter);

}  // namespace heddle::analysis
