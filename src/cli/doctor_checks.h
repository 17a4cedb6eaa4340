// What heddle needs of a machine, each as one small check.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

enum class CheckResult {
  kOk,
  kMissing,  // heddle cannot work
  kHint,     // something works less well, or one verb not at all
};

struct Check {
  std::string name;
  CheckResult result = CheckResult::kOk;
  std::string detail;  // what was found
  std::string fix;     // what to do; empty when ok
};

// All checks, in the order in which they are shown. `lib_folder` is where libheddle_rt.so should be.
std::vector<Check> RunChecks(const std::string& lib_folder);

// ../lib of the running program; empty when /proc is not there.
std::string LibFolder();

}  // namespace heddle::cli
