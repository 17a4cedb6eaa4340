// Scripts that are wrong, and what is said about each, in table files (testing/cases.h).
#include <gtest/gtest.h>

#include <filesystem>

#include "csp/csp.h"
#include "csp/large_stack.h"
#include "csp/testing/cases.h"

namespace heddle::csp {
namespace {

using testing::Case;
using testing::CaseFile;
using testing::ReadCases;

// Everything said about the script, without the lines of source and carets: "2:5: error: ..." and "help: ...".
std::string Said(const std::string& text) {
  LoadOptions options;
  options.include_paths = {HEDDLE_SOURCE_DIR "/share/csp"};
  std::string all;
  Result<std::unique_ptr<Script>> script = Script::FromText("w.csp", text, options);
  if (!script) {
    all = script.error().message;
  } else {
    for (const Printed& printed : (*script)->Prints()) {
      if (printed.failed) all += printed.value;
    }
    for (const CheckResult& result : (*script)->CheckAll({})) all += result.error;
  }
  std::istringstream in(all);
  std::string out;
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind("w.csp:", 0) == 0) {
      out += line.substr(6) + "\n";
    } else if (size_t at = line.find("help: "); at != std::string::npos && line.find_first_not_of(' ') == at) {
      out += line.substr(at) + "\n";
    } else if (size_t where = line.find("w.csp:");
               where != std::string::npos && line.find(" | ") == std::string::npos) {
      out += line.substr(where + 6) + "\n";
    }
  }
  return out;
}

// Under ThreadSanitizer the stack is full before the greatest number of calls.
bool IsTooDeep(const Case& c) {
  return kUsableStack < kStackBytes / 2 && c.expected.find("calls inside each other") != std::string::npos;
}

class Wrong : public ::testing::TestWithParam<const char*> {};

TEST_P(Wrong, SaysWhatIsExpected) {
  std::string path = std::string(HEDDLE_SOURCE_DIR "/tests/csp/wrong/") + GetParam();
  CaseFile file = ReadCases(path);
  ASSERT_FALSE(file.cases.empty()) << path;
  RunOnLargeStack([&] {
    for (Case& c : file.cases) {
      if (IsTooDeep(c)) continue;
      std::string said = Said(file.beginning + c.script);
      EXPECT_EQ(said, c.expected) << path << ":\n" << c.script;
      EXPECT_FALSE(said.empty()) << path << ": nothing is said about\n" << c.script;
      c.expected = said;
    }
  });
  UpdateCases(path, file);
}

INSTANTIATE_TEST_SUITE_P(Csp, Wrong,
                         ::testing::Values("lexical.txt", "syntax.txt", "types.txt", "runtime.txt", "more_types.txt",
                                           "more.txt"),
                         [](const auto& i) { return std::string(i.param).substr(0, std::string(i.param).find('.')); });

TEST(Wrong, ThereAreTwoHundred) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/csp/wrong")) {
    count += ReadCases(entry.path().string()).cases.size();
  }
  EXPECT_GE(count, 200u);
}

}  // namespace
}  // namespace heddle::csp
