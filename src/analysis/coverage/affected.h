// Which tests a change can touch. The rule errs on the side of running a test:
//
// - A change inside the bodies of functions touches the tests that executed code of that file.
// - A change outside of them (a global, a type, a macro, a new function) in a source file touches every test that links
//   it; in a header, every test.
// - A file that no program's debug info names (a build file, data) touches every test; texts for people touch none.
// - A test that is not in the map, whose map is not all, or that was not clean, is always touched.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/coverage/changes.h"
#include "analysis/coverage/coverage_map.h"
#include "symbolize/functions.h"

namespace heddle::analysis {

// The functions of a program or library as it is now; null when it is not there any more.
using CodeOf = std::function<const symbolize::ModuleCode*(const std::string& path)>;

// Why `test` is touched; empty: it is not.
class AffectedTests {
 public:
  AffectedTests(const CoverageMap& map, CodeOf code);

  std::string Why(const std::string& test, const std::vector<ChangedFile>& changes) const;
  // The same for files that the user names, of which only what was executed counts.
  std::string WhyOnly(const std::string& test, const std::vector<std::string>& files) const;
  // Whether some test's program has code of the file.
  bool Knows(const std::string& file) const { return known_.count(file) > 0; }

 private:
  enum class Reach { kExecuted, kLinked, kAll };
  Reach ReachOf(const ChangedFile& file) const;
  bool Inside(const ChangedFile& file) const;
  bool Links(const TestCoverage& test, const std::string& file) const;

  const CoverageMap& map_;
  CodeOf code_;
  struct Body {
    uint32_t first;
    uint32_t last;
  };
  std::map<std::string, std::vector<Body>> bodies_;  // of functions, by file
  std::set<std::string> units_;
  std::set<std::string> known_;  // files that some program's debug info names
};

}  // namespace heddle::analysis
