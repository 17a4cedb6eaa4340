// A program under analysis that is only data: the threads of explore/model_program.h, run in memory. It follows the
// same requests and compiled schedules as a process would, and can be told to misbehave.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/target/target.h"
#include "explore/model_program.h"

namespace heddle::analysis {

class FakeTarget final : public Target {
 public:
  explicit FakeTarget(explore::ModelProgram modelled) : program(std::move(modelled)) {}

  explore::ModelProgram program;
  // The exit code of an execution, of all that can be seen at its end.
  std::function<int(const std::string& final_state)> exit_code = [](const std::string&) { return 0; };
  // A free run leaves this as its findings file, and ends so. Empty: it was not built with heddle cc.
  std::string findings_file = "heddle-detect 1\nfinished\n";
  ChildEnd free_end;
  uint64_t gone_after = UINT64_MAX;  // explored executions; then the program is gone
  bool repeats = true;               // false: a replay does something else than its schedule says
  bool has_gap = false;              // it does what a search does not model

  Result<ChildEnd> Run(const std::vector<std::string>& command, const ChildOptions& options) override;
  Result<ControlledEnd> Control(const ControlledRun& run) override;
  Result<std::unique_ptr<ExploredProgram>> Explore(const TargetOptions& options) override;

  std::vector<std::string> ThreadNames() const;
  uint64_t explored = 0;
  std::vector<SamplePlan> samples;
  uint64_t replays = 0;
};

}  // namespace heddle::analysis
