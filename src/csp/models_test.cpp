// Every script of tests/csp: the comment above an assertion says what must come out,
//   -- passes      or      -- fails      or      -- fails <the, visible, trace>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "csp/csp.h"

namespace heddle::csp {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == '\n') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// Checks one script with the given options; returns the number of its assertions.
size_t CheckFile(const std::string& path, const CheckOptions& options, bool terms_only, bool exact_traces) {
  LoadOptions load;
  load.include_paths = {HEDDLE_SOURCE_DIR "/share/csp"};
  Result<std::unique_ptr<Script>> script = Script::FromFile(path, load);
  EXPECT_TRUE(script.ok()) << script.error().message;
  if (!script) return 0;
  (*script)->UseTermsOnly(terms_only);
  std::vector<std::string> lines = Lines(ReadFile(path).Take());
  std::vector<CheckResult> results = (*script)->CheckAll(options);
  for (const CheckResult& r : results) {
    EXPECT_EQ(r.file, path);
    const std::string& expected = lines[r.line - 2];
    std::string where = fmt::format("{}:{}: {} {}{}", path, r.line, r.explanation, r.reason, r.error);
    if (expected.rfind("-- passes", 0) == 0) {
      EXPECT_EQ(r.verdict, Verdict::kPassed) << where;
    } else if (expected.rfind("-- fails", 0) == 0) {
      EXPECT_EQ(r.verdict, Verdict::kFailed) << where;
      if (exact_traces && expected.size() > 8) {
        EXPECT_EQ(fmt::format("-- fails <{}>", fmt::join(r.trace, ", ")), expected) << where;
      }
    } else {
      ADD_FAILURE() << where << ": no expectation on the line above";
    }
  }
  return results.size();
}

std::vector<std::string> Scripts() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/csp")) {
    if (entry.path().extension() == ".csp") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Models, KnownResults) {
  size_t assertions = 0;
  for (const std::string& path : Scripts()) assertions += CheckFile(path, {}, false, true);
  EXPECT_GE(assertions, 150u);
}

TEST(Models, SameResultsOnWholeTerms) {
  for (const std::string& path : Scripts()) CheckFile(path, {}, true, false);
}

TEST(Models, SameResultsWithTwoJobs) {
  CheckOptions options;
  options.jobs = 2;
  for (const std::string& path : Scripts()) CheckFile(path, options, false, false);
}

}  // namespace
}  // namespace heddle::csp
