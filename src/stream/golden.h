// Reads tests/stream/golden/*.golden: many small specifications with input and expected output in one file.
//
//   === name
//   --- options (optional): base-time 1ns, dialect paper
//   --- spec
//   --- in
//   --- out
//   --- error (instead of out, or after it): text that the message contains
//
// and *.table, one specification a line, with ` ;; ` between lines of it: SPEC %in TRACE %out OUTPUT, or SPEC %error
// TEXT.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "stream/elaborate/elaborate.h"

namespace heddle::stream {

struct GoldenCase {
  std::string file;
  std::string name;
  std::map<std::string, std::string> parts;

  CompileOptions Options() const {
    CompileOptions options;
    auto found = parts.find("options");
    if (found == parts.end()) return options;
    std::istringstream words(found->second);
    for (std::string word; words >> word;) {
      if (word == "base-time") words >> options.base_time;
      if (word == "paper") options.dialect = Dialect::kPaper;
    }
    return options;
  }
};

inline bool IsPart(const std::string& line) {
  return line == "--- options" || line == "--- spec" || line == "--- in" || line == "--- out" || line == "--- error";
}

inline std::string Unfolded(std::string text) {
  for (size_t at = 0; (at = text.find(" ;; ", at)) != std::string::npos;) text.replace(at, 4, "\n");
  return text + "\n";
}

inline void ReadTable(const std::filesystem::path& path, std::vector<GoldenCase>& cases) {
  std::ifstream in(path);
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.starts_with("%%")) continue;
    GoldenCase test{path.filename().string(), "line " + std::to_string(number), {}};
    std::string part = "spec";
    size_t begin = 0;
    while (begin != std::string::npos) {
      size_t next = std::string::npos;
      std::string following;
      for (const char* name : {"in", "out", "error", "options"}) {
        size_t found = line.find(std::string(" %") + name + " ", begin);
        if (found >= next) continue;
        next = found;
        following = name;
      }
      test.parts[part] = Unfolded(line.substr(begin, next - begin));
      begin = next == std::string::npos ? next : next + following.size() + 3;
      part = following;
    }
    cases.push_back(std::move(test));
  }
}

inline std::vector<GoldenCase> ReadGolden(const std::string& folder) {
  std::vector<GoldenCase> cases;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".golden" || entry.path().extension() == ".table") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    if (path.extension() == ".table") {
      ReadTable(path, cases);
      continue;
    }
    std::ifstream in(path);
    std::string part;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("=== ")) {
        cases.push_back({path.filename().string(), line.substr(4), {}});
      } else if (IsPart(line) && !cases.empty()) {
        part = line.substr(4);
        cases.back().parts[part];
      } else if (!cases.empty()) {
        cases.back().parts[part] += line + "\n";
      }
    }
  }
  return cases;
}

inline std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace heddle::stream
