// An explored program that is a process: started once, it performs one execution for each request
// (wire/explore_link.h).
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "analysis/target/explored_program.h"
#include "analysis/target/process.h"
#include "analysis/target/shared_core.h"
#include "base/result.h"
#include "wire/explore_link.h"

namespace heddle::analysis {

class ExploreTarget final : public ExploredProgram {
 public:
  // kNotFound, kIo: cannot be started. kUnsupported: not built with heddle cc, or this machine cannot.
  static Result<std::unique_ptr<ExploreTarget>> Start(const TargetOptions& options);
  ~ExploreTarget() override;
  ExploreTarget(const ExploreTarget&) = delete;
  ExploreTarget& operator=(const ExploreTarget&) = delete;

  Status Begin(const explore::Request& request) override;
  Result<Performed> Finish() override;
  bool Answered() const override;
  Result<Performed> Sample(const SamplePlan& plan) override;

  std::vector<std::string> ThreadNames() const override;
  uint32_t ThreadCount() const override { return link_->threads; }
  void SetThreadNames(const std::vector<std::string>& names) override;
  std::string ForkedText() const override;
  bool TimeoutsCut() const override { return link_->timeouts != 0; }
  std::vector<std::string> Gaps() const override;
  bool MixedSizes() const override { return link_->mixed != 0; }

 private:
  explicit ExploreTarget(const TargetOptions& options) : options_(options) {}
  Status Map();
  Status Launch();
  Status AwaitReady();
  Status AwaitAnswer();
  void Ask();
  Status Refusal() const;

  TargetOptions options_;
  std::string TakeOutput();

  int fd_ = -1;
  int output_ = -1;      // what the executions print: a file in memory
  bool killed_ = false;  // the execution under way, by us
  std::chrono::steady_clock::time_point asked_;
  wire::ExploreLink* link_ = nullptr;
  std::unique_ptr<Child> child_;
  SharedCore core_;
};

}  // namespace heddle::analysis
