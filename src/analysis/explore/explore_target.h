// A program that is being explored: started once, it performs one execution for each request (wire/explore_link.h).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/target/process.h"
#include "base/deadline.h"
#include "base/result.h"
#include "explore/execution.h"
#include "wire/explore_link.h"

namespace heddle::analysis {

struct TargetOptions {
  std::vector<std::string> command;
  std::string folder;  // absolute; for the target's own file
  std::string name = "target";
  std::string visible = "atomics";
  std::string memory = "sc";  // or c11
  bool races = true;
  bool accesses = false;  // executions come with their plain accesses
  bool in_place = true;   // restore memory instead of copying the process, where that is enough
  uint32_t nondet = 2;    // values of __VERIFIER_nondet_int and the like
  uint64_t max_steps = 20000;
  double execution_seconds = 10;  // longer ones are killed
  Deadline deadline;              // of everything: what is under way then is an error
};

struct Performed {
  explore::Execution execution;
  int signal = 0;                         // that killed it ...
  std::optional<uint64_t> crash;          // ... after so many events; the others went on behind it
  int code = 0;                           // exit code, when none did
  std::vector<std::string> failed_tests;  // when it is not 0: what the output calls failed
  bool hangs = false;
  bool spins = false;  // a deadlock in which some threads spin
  std::vector<wire::LinkNote> notes;
};

class ExploreTarget {
 public:
  // kNotFound, kIo: cannot be started. kUnsupported: not built with heddle cc, or this machine cannot.
  static Result<std::unique_ptr<ExploreTarget>> Start(const TargetOptions& options);
  ~ExploreTarget();
  ExploreTarget(const ExploreTarget&) = delete;
  ExploreTarget& operator=(const ExploreTarget&) = delete;

  // Asks for an execution, and waits for it. Errors: the target is gone, or cannot do what was asked.
  Status Begin(const explore::Request& request);
  Result<Performed> Finish();
  bool Answered() const;
  // One execution under a strategy ("random", "pct", "pos").
  Result<Performed> Sample(const std::string& strategy, uint64_t seed);

  // Numbers of threads are places in this list. While no execution is under way, it may be replaced by a longer one.
  std::vector<std::string> ThreadNames() const;
  uint32_t ThreadCount() const { return link_->threads; }
  void SetThreadNames(const std::vector<std::string>& names);
  // Executions that needed a copy of the process because restoring memory was not enough, and why; "" when none did.
  std::string ForkedText() const;
  // Whether waits with a limit were kept from running out too often.
  bool TimeoutsCut() const { return link_->timeouts != 0; }
  // c11: whether atomics of different sizes shared an address, where only the latest value is read.
  std::vector<std::string> Gaps() const;  // what executions did that the search does not model
  bool MixedSizes() const { return link_->mixed != 0; }

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
};

}  // namespace heddle::analysis
