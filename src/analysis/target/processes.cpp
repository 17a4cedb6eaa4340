#include "analysis/explore/explore_target.h"
#include "analysis/target/target.h"

namespace heddle::analysis {
namespace {

class ProcessTarget final : public Target {
 public:
  Result<ChildEnd> Run(const std::vector<std::string>& command, const ChildOptions& options) override {
    return RunChild(command, options);
  }
  Result<ControlledEnd> Control(const ControlledRun& run) override { return RunControlled(run); }
  Result<std::unique_ptr<ExploredProgram>> Explore(const TargetOptions& options) override {
    Result<std::unique_ptr<ExploreTarget>> started = ExploreTarget::Start(options);
    if (!started) return started.error();
    return std::unique_ptr<ExploredProgram>(started.Take());
  }
};

}  // namespace

Target& Processes() {
  static ProcessTarget target;
  return target;
}

}  // namespace heddle::analysis
