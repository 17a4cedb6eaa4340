// The search of an exploration within a test's own process: one step between two executions. It knows the test only by
// the link (sched/explore_link.h).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "explore/search.h"
#include "sched/inside.h"

namespace heddle::inside {

class InsideSearch {
 public:
  InsideSearch(const heddle_explore_options& options, sched::ExploreLink* link, heddle_exploration* result);

  // The first request, or the one behind the execution whose answer is in the link.
  sched::InsideNext Step();

 private:
  sched::InsideNext Learn();
  sched::InsideNext Ask();
  void TakeAnswer();
  // How the execution went wrong; "" when it did not.
  std::string Failure() const;
  sched::InsideNext Fail(const std::string& how);
  std::string WhyNot() const;
  std::string ScheduleText() const;
  bool LimitReached();
  bool Bounded(const std::string& by);

  const heddle_explore_options& options_;
  sched::ExploreLink* link_;
  heddle_exploration* result_;
  std::unique_ptr<explore::Search> search_;
  explore::Request request_;
  explore::Execution execution_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool begun_ = false;
};

}  // namespace heddle::inside
