// A program that is being explored: started once, it performs one execution for each request (sched/explore_link.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/process.h"
#include "explore/execution.h"
#include "sched/explore_link.h"

namespace heddle::cli {

struct TargetOptions {
  std::vector<std::string> command;
  std::string folder;  // absolute; for the target's own file
  std::string visible = "atomics";
  bool races = true;
  bool in_place = true;  // restore memory instead of copying the process, where that is enough
  uint32_t nondet = 2;   // values of __VERIFIER_nondet_int and the like
  uint64_t max_steps = 20000;
  double execution_seconds = 10;  // longer ones are killed
};

struct Performed {
  explore::Execution execution;
  int signal = 0;  // that killed it
  int code = 0;    // exit code, when none did
  bool hangs = false;
  bool spins = false;  // a deadlock in which some threads spin
  std::vector<sched::LinkNote> notes;
};

class ExploreTarget {
 public:
  // kNotFound, kIo: cannot be started. kUnsupported: not built with heddle cc, or this machine cannot.
  static Result<std::unique_ptr<ExploreTarget>> Start(const TargetOptions& options);
  ~ExploreTarget();
  ExploreTarget(const ExploreTarget&) = delete;
  ExploreTarget& operator=(const ExploreTarget&) = delete;

  // An error when the target is gone, or cannot do what was asked.
  Result<Performed> Perform(const explore::Request& request);
  // One execution under a strategy ("random", "pct", "pos").
  Result<Performed> Sample(const std::string& strategy, uint64_t seed);

  std::vector<std::string> ThreadNames() const;
  // Executions that needed a copy of the process because restoring memory was not enough, and why; "" when none did.
  std::string ForkedText() const;
  // Whether waits with a limit were kept from running out too often.
  bool TimeoutsCut() const { return link_->timeouts != 0; }

 private:
  explicit ExploreTarget(const TargetOptions& options) : options_(options) {}
  Status Map();
  Status Launch();
  Status AwaitReady();
  Status AwaitAnswer(bool* killed);
  Result<Performed> Ask();
  Status Refusal() const;

  TargetOptions options_;
  int fd_ = -1;
  sched::ExploreLink* link_ = nullptr;
  std::unique_ptr<Child> child_;
};

}  // namespace heddle::cli
