// The search of an exploration within a test's own process: one step between two executions. It knows the test only by
// the link (wire/explore_link.h).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "explore/search.h"
#include "wire/in_process.h"

namespace heddle::in_process {

class InProcessSearch {
 public:
  InProcessSearch(const heddle_explore_options& options, wire::ExploreLink* link, heddle_exploration* result);

  // The first request, or the one behind the execution whose answer is in the link.
  wire::InProcessNext Step();

 private:
  wire::InProcessNext Learn();
  wire::InProcessNext Ask();
  void TakeAnswer();
  // How the execution went wrong; "" when it did not.
  std::string Failure() const;
  wire::InProcessNext Fail(const std::string& how);
  std::string WhyNot() const;
  std::string ScheduleText() const;
  bool LimitReached();
  bool Bounded(const std::string& by);

  const heddle_explore_options& options_;
  wire::ExploreLink* link_;
  heddle_exploration* result_;
  std::unique_ptr<explore::Search> search_;
  explore::Request request_;
  explore::Execution execution_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool begun_ = false;
};

}  // namespace heddle::in_process
