// The program under analysis, as the analyses see it: something that can be run in three ways. The analyses take a
// pointer to one in their options, so that a test can give them a program that is only data
// (analysis/testing/fake_target.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/target/controlled_run.h"
#include "analysis/target/explored_program.h"
#include "analysis/target/process.h"
#include "base/result.h"

namespace heddle::analysis {

class Target {
 public:
  Target() = default;
  virtual ~Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // Free, in parallel; what is watched stands in the environment. Errors: it cannot be started (kNotFound, kIo).
  virtual Result<ChildEnd> Run(const std::vector<std::string>& command, const ChildOptions& options) = 0;
  // Under one schedule. Errors: as above, or it was not built with heddle cc (kUnsupported).
  virtual Result<ControlledEnd> Control(const ControlledRun& run) = 0;
  // Once for each request of a search. Errors: as above.
  virtual Result<std::unique_ptr<ExploredProgram>> Explore(const TargetOptions& options) = 0;
};

// Programs as processes of this machine: what every analysis uses unless it is told otherwise.
Target& Processes();

}  // namespace heddle::analysis
