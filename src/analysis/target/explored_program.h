// A program that is being explored, as a search sees it: it performs one execution for each request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/target/visibility.h"
#include "base/deadline.h"
#include "base/result.h"
#include "explore/execution.h"
#include "wire/control_words.h"
#include "wire/explore_link.h"

namespace heddle::analysis {

struct TargetOptions {
  std::vector<std::string> command;
  std::string folder;  // absolute; for the target's own file
  std::string name = "target";
  Visibility visible;
  wire::MemoryModel memory = wire::MemoryModel::kSc;
  wire::TimeMode time = wire::TimeMode::kByStrategy;
  bool races = true;
  bool accesses = false;    // executions come with their plain accesses
  bool in_place = true;     // restore memory instead of copying the process, where that is enough
  bool alternates = false;  // nothing else is done while it performs an execution (shared_core.h)
  uint32_t nondet = 2;      // values of __VERIFIER_nondet_int and the like
  uint64_t max_steps = 20000;
  double execution_seconds = 10;  // longer ones are killed
  Deadline deadline;              // of everything: what is under way then is an error
};

struct Performed {
  explore::Execution execution;
  int signal = 0;                         // that killed it ...
  std::optional<uint64_t> crash;          // ... after so many events; the others went on behind it
  std::string assertion;                  // what the program said, when a failed assertion killed it
  int code = 0;                           // exit code, when none did
  std::vector<std::string> failed_tests;  // when it is not 0: what the output calls failed
  bool hangs = false;
  bool spins = false;  // a deadlock in which some threads spin
  std::vector<wire::LinkNote> notes;
};

// One execution under random, pct or pos.
struct SamplePlan {
  wire::Strategy strategy = wire::Strategy::kRandom;
  uint64_t seed = 1;
  uint64_t length = 0;  // pct: priorities change among so many first steps; 0: not known, the target's default
};

class ExploredProgram {
 public:
  ExploredProgram() = default;
  virtual ~ExploredProgram() = default;
  ExploredProgram(const ExploredProgram&) = delete;
  ExploredProgram& operator=(const ExploredProgram&) = delete;

  // Asks for an execution, and waits for it. Errors: the program is gone, or cannot do what was asked.
  virtual Status Begin(const explore::Request& request) = 0;
  virtual Result<Performed> Finish() = 0;
  virtual bool Answered() const = 0;
  virtual Result<Performed> Sample(const SamplePlan& plan) = 0;

  // Numbers of threads are places in this list. While no execution is under way, it may be replaced by a longer one.
  virtual std::vector<std::string> ThreadNames() const = 0;
  virtual uint32_t ThreadCount() const = 0;
  virtual void SetThreadNames(const std::vector<std::string>& names) = 0;

  // Executions that needed a copy of the process because restoring memory was not enough, and why; "" when none did.
  virtual std::string ForkedText() const = 0;
  // Whether waits with a limit were kept from running out too often.
  virtual bool TimeoutsCut() const = 0;
  // What executions did that the search does not model.
  virtual std::vector<std::string> Gaps() const = 0;
  // c11: whether atomics of different sizes shared an address, where only the latest value is read.
  virtual bool MixedSizes() const = 0;
};

}  // namespace heddle::analysis
