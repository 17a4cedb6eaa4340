// Which static findings a change of the source can have touched: those with a place of their paths (accesses,
// acquisitions, the calls that lead there, the creation of the threads) in a function that changed.
//
// A change outside of functions (a type, a variable, a macro) touches the findings with a place in that file, or all
// when it is in a header. Files that the program is not made of touch none. A change elsewhere in the program may make
// an alarm possible too (a join that is gone): that is what a baseline is for.
#pragma once

#include <vector>

#include "analysis/coverage/changes.h"
#include "deadlock/deadlock.h"
#include "findings/finding.h"

namespace heddle::analysis {

class TouchedFindings {
 public:
  TouchedFindings(const std::vector<ChangedFile>& changes, const deadlock::SourceCode& code);
  bool Touches(const findings::Finding& finding) const;

 private:
  struct Lines {
    std::string file;
    uint32_t first;
    uint32_t last;
  };
  bool TouchesAny(const Stack& stack) const;

  bool everything_ = false;
  std::vector<Lines> changed_;  // bodies of functions, and whole files
};

}  // namespace heddle::analysis
