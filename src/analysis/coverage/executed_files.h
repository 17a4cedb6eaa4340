// Which source files' code a program executes, found by running it once: a breakpoint at the start of every function
// that has debug info, taken away when it is hit. Each function costs one stop, the rest runs at full speed; threads,
// children and libraries that are loaded later are followed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::analysis {

struct ExecutedCode {
  std::set<std::string> files;    // absolute; of all functions that were entered, with what was inlined into them
  std::set<std::string> modules;  // programs and libraries with debug info that were loaded
  std::string missing;            // why it may not be all; empty: it is
  int code = 0;                   // of the program, as a shell shows it
};

struct ExecutedRun {
  std::vector<std::string> command;
  double seconds = 60;
};

// The program's output goes nowhere. An error when it cannot be started or not be watched. No other child of this
// process may run.
Result<ExecutedCode> FindExecutedCode(const ExecutedRun& run);

}  // namespace heddle::analysis
