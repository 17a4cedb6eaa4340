// Scripts that are right, with what they print and what becomes of each assertion, in table files (testing/cases.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "csp/csp.h"
#include "csp/testing/cases.h"

namespace heddle::csp {
namespace {

const char* Word(Verdict verdict) {
  return verdict == Verdict::kPassed ? "passed" : verdict == Verdict::kFailed ? "failed" : "undecided";
}

// `x = value` for each print; `LINE: passed`, or `LINE: failed KIND <trace>`, for each assertion.
std::string Outcome(const std::string& text) {
  LoadOptions options;
  options.include_paths = {HEDDLE_SOURCE_DIR "/share/csp"};
  Result<std::unique_ptr<Script>> script = Script::FromText("r.csp", text, options);
  if (!script) return script.error().message + "\n";
  std::string out;
  for (const Printed& p : (*script)->Prints()) out += fmt::format("{} = {}\n", p.text, p.value);
  for (const CheckResult& r : (*script)->CheckAll({})) {
    std::string why = r.kind.empty() ? "" : fmt::format(" {} <{}>", r.kind, fmt::join(r.trace, ", "));
    out += fmt::format("{}: {}{}{}\n", r.line, Word(r.verdict), why, r.error.empty() ? "" : " " + r.error);
  }
  return out.empty() ? "accepted\n" : out;
}

class Right : public ::testing::TestWithParam<const char*> {};

TEST_P(Right, DoesWhatIsExpected) {
  std::string path = std::string(HEDDLE_SOURCE_DIR "/tests/csp/right/") + GetParam();
  testing::CaseFile file = testing::ReadCases(path);
  ASSERT_FALSE(file.cases.empty()) << path;
  RunOnLargeStack([&] {
    for (testing::Case& c : file.cases) {
      std::string outcome = Outcome(file.beginning + c.script);
      EXPECT_EQ(outcome, c.expected) << path << ":\n" << c.script;
      c.expected = outcome;
    }
  });
  UpdateCases(path, file);
}

INSTANTIATE_TEST_SUITE_P(Csp, Right,
                         ::testing::Values("types.txt", "language.txt", "models.txt", "scripts.txt", "fields.txt",
                                           "scopes.txt", "lazy.txt"),
                         [](const auto& i) { return std::string(i.param).substr(0, std::string(i.param).find('.')); });

}  // namespace
}  // namespace heddle::csp
