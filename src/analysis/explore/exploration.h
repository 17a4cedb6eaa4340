// A search over the executions of a program, and the report of what it found. Used by heddle explore and heddle check.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/explore/search_estimate.h"
#include "analysis/target/target.h"
#include "base/deadline.h"
#include "base/result.h"
#include "explore/search.h"
#include "findings/report.h"
#include "wire/control_words.h"

namespace heddle::analysis {

struct ExplorationOptions {
  std::vector<std::string> command;
  Target* target = &Processes();      // what runs it
  std::string folder;                 // absolute; schedules go here
  std::string shown;                  // the same as it is shown to the user
  std::string algorithm = "optimal";  // or source, dpor, dfs, random, pct, pos
  Visibility visible;
  wire::MemoryModel memory = wire::MemoryModel::kSc;
  wire::TimeMode time = wire::TimeMode::kByStrategy;  // whether waits give processes outside their time
  bool only_races = false;                            // of findings
  bool races = true;                                  // look for them
  uint32_t jobs = 1;                                  // executions at a time
  std::string resume;                                 // the results folder of a search to go on with; "": none
  bool in_place = true;                               // restart without fork where possible
  bool first = false;                                 // stop at the first finding
  bool commute = true;  // updates whose results nobody uses, and arrivals at barriers, in one order where that is sound
  std::optional<uint32_t> preemptions;
  std::optional<uint32_t> delays;
  bool deepen = false;      // preemptions: 0, 1, 2, ... up to `preemptions`, or until nothing is left out
  uint64_t executions = 0;  // 0: no limit
  uint64_t depth = 20000;   // steps of one execution
  uint64_t seed = 1;
  uint32_t nondet = 2;  // values of __VERIFIER_nondet_int and the like
  double seconds = 0;   // 0: no limit
  double execution_seconds = 10;
  bool slow_is_finding = true;  // an execution that does not end in that time may never end
  Deadline deadline;            // of everything; the execution that is under way then does not count
  // Several processes explore together (ranked_exploration.h): where they find the first one; "": one does it alone.
  std::string address_file;
  int rank = 0;
  int ranks = 1;
};

TargetOptions TargetOf(const ExplorationOptions& options);

struct ExplorationProgress {
  uint64_t executions = 0;
  uint64_t findings = 0;
  std::optional<Estimate> estimate;  // of all executions; none when it samples
  std::optional<Estimate> expected;  // the same, from the operations of the first one
  double seconds = 0;
};

// `tell` is called now and then. Errors: the program cannot be started or cannot be explored.
Result<findings::Report> Explore(const ExplorationOptions& options,
                                 const std::function<void(const ExplorationProgress&)>& tell);

}  // namespace heddle::analysis
