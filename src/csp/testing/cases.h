// Table files with many small scripts, for tests:
//
//   a common beginning, up to a line of four equals signs, put in front of every script of the file;
//   then for each script its lines, each line of what is expected behind ">>> ", and an empty line.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"

namespace heddle::csp::testing {

struct Case {
  std::string script;
  std::string expected;
};

struct CaseFile {
  std::string beginning;
  std::vector<Case> cases;
};

inline CaseFile ReadCases(const std::string& path) {
  CaseFile file;
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

// With HEDDLE_UPDATE_GOLDEN set the file is rewritten with what is said now; read the difference before keeping it.
inline void UpdateCases(const std::string& path, const CaseFile& file) {
  if (std::getenv("HEDDLE_UPDATE_GOLDEN") == nullptr) return;
  std::string text = file.beginning + "====\n";
  for (const Case& c : file.cases) {
    text += c.script;
    std::istringstream lines(c.expected);
    for (std::string line; std::getline(lines, line);) text += ">>> " + line + "\n";
    text += "\n";
  }
  static_cast<void>(WriteFileAtomic(path, text));
}

}  // namespace heddle::csp::testing
