// Scripts that are wrong, and what is said about each. The files hold many small scripts:
//
//   a common beginning, up to a line of four equals signs, put in front of every script of the file;
//   then for each script its lines, each line of the message expected behind ">>> ", and an empty line.
//
// With HEDDLE_UPDATE_GOLDEN set the files are rewritten with what is said now; read the difference before keeping it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "csp/csp.h"

namespace heddle::csp {
namespace {

struct Case {
  std::string script;
  std::string expected;
};

struct File {
  std::string beginning;
  std::vector<Case> cases;
};

File ReadCases(const std::string& path) {
  File file;
  std::istringstream in(ReadFile(path).Take());
  std::string line;
  while (std::getline(in, line) && line != "====") file.beginning += line + "\n";
  Case now;
  while (std::getline(in, line)) {
    if (line.rfind(">>> ", 0) == 0) {
      now.expected += line.substr(4) + "\n";
    } else if (!now.expected.empty() && line.empty()) {
      file.cases.push_back(now);
      now = {};
    } else {
      now.script += line + "\n";
    }
  }
  if (!now.expected.empty()) file.cases.push_back(now);
  return file;
}

// Everything said about the script, without the lines of source and carets: "2:5: error: ..." and "help: ...".
std::string Said(const std::string& text) {
  LoadOptions options;
  options.include_paths = {HEDDLE_SOURCE_DIR "/share/csp"};
  std::string all;
  Result<std::unique_ptr<Script>> script = Script::FromText("w.csp", text, options);
  if (!script) {
    all = script.error().message;
  } else {
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

class Wrong : public ::testing::TestWithParam<const char*> {};

TEST_P(Wrong, SaysWhatIsExpected) {
  std::string path = std::string(HEDDLE_SOURCE_DIR "/tests/csp/wrong/") + GetParam();
  File file = ReadCases(path);
  ASSERT_FALSE(file.cases.empty()) << path;
  std::string rewritten = file.beginning + "====\n";
  RunOnLargeStack([&] {
    for (const Case& c : file.cases) {
      std::string said = Said(file.beginning + c.script);
      EXPECT_EQ(said, c.expected) << path << ":\n" << c.script;
      EXPECT_FALSE(said.empty()) << path << ": nothing is said about\n" << c.script;
      rewritten += c.script;
      std::istringstream lines(said);
      for (std::string line; std::getline(lines, line);) rewritten += ">>> " + line + "\n";
      rewritten += "\n";
    }
  });
  if (std::getenv("HEDDLE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomic(path, rewritten).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Csp, Wrong, ::testing::Values("lexical.txt", "syntax.txt", "types.txt", "runtime.txt"),
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
