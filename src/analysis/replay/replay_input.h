// What a user names as a schedule, and the run that it asks for.
#pragma once

#include <string>
#include <vector>

#include "analysis/target/controlled_run.h"
#include "base/result.h"
#include "sched/schedule.h"

namespace heddle::analysis {

struct ReplayInput {
  std::string path;
  sched::Schedule schedule;
  std::string calls;        // of a demo: what calls returned; empty for a schedule alone
  std::string damage = {};  // of a demo: the files of which only the beginning could be read
  uint64_t first = 0;       // steps of the recorded run before the schedule's first
  uint64_t checkpoint = 0;  // the number of the image to start from; 0: the beginning of the program
};

// Where a demo starts: "", the beginning or the first checkpoint; START; LAST; the number of a checkpoint. An error
// when it has no such.
Status StartFrom(ReplayInput& input, const std::string& from);

// `given`: a file, a demo, a results folder, or the id of a finding in the latest report below `root`.
Result<ReplayInput> LoadReplayInput(const std::string& root, const std::string& given);

// Where a demo's program ran: seen from the demo, else where it was then. Empty: it is at neither place.
std::string ReplayFolder(const ReplayInput& input);

// The options of the schedule's header; the command too, unless one is given.
Result<ControlledRun> PrepareReplay(const ReplayInput& input, const std::vector<std::string>& command);

}  // namespace heddle::analysis
