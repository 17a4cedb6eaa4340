// Which code each test executed, kept between runs so that `heddle check --since` runs only tests that a change can
// touch (docs/check.md). One JSON file in the results folder, root/coverage.json.
#pragma once

#include <map>
#include <set>
#include <string>

#include "analysis/coverage/executed_files.h"
#include "base/result.h"

namespace heddle::analysis {

struct TestCoverage {
  std::string revision;           // of the source when it was recorded (SourceRevision)
  std::string missing;            // as ExecutedCode
  bool clean = false;             // the last time that it was checked
  std::set<std::string> files;    // executed
  std::set<std::string> modules;  // programs and libraries

  bool operator==(const TestCoverage&) const = default;
};

using CoverageMap = std::map<std::string, TestCoverage>;  // by the test's name

std::string CoverageMapPath(const std::string& root);

std::string CoverageMapJson(const CoverageMap& map);
Result<CoverageMap> ParseCoverageMap(const std::string& name, const std::string& text);
// An empty map when there is none.
Result<CoverageMap> LoadCoverageMap(const std::string& root);

}  // namespace heddle::analysis
