// Running a program in trace mode.
#pragma once

#include <string>
#include <vector>

#include "analysis/target/process.h"
#include "base/result.h"

namespace heddle::analysis {

struct TracedRun {
  std::vector<std::string> command;
  std::string trace_path;  // replaced if it exists
  std::string options;     // HEDDLE_OPTIONS
  double seconds = 0;      // time limit, 0: none
};

struct TracedEnd {
  ChildEnd child;
  bool timed_out = false;
};

// Runs the program. Errors: it cannot be started (kNotFound, kIo), or it never wrote a trace because it was not built
// with heddle cc (kUnsupported).
Result<TracedEnd> RunTraced(const TracedRun& run);

}  // namespace heddle::analysis
