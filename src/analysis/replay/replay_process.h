// Replaying one of several processes of a demo: what is started, and which streams the children that fork makes follow
// (docs/record-replay.md, Processes).
#pragma once

#include <string>
#include <vector>

#include "analysis/replay/replay_input.h"
#include "analysis/target/controlled_run.h"
#include "base/result.h"
#include "sched/demo_processes.h"

namespace heddle::analysis {

struct ProcessReplay {
  std::string demo;
  uint64_t number = 1;                  // who is asked for
  std::vector<sched::DemoProcess> all;  // empty: a demo of one process, or a schedule
  ReplayInput started;                  // whose program is started
  ReplayInput asked;                    // the same, unless forks lead from one to the other
  std::string stream;                   // folder of the one that is asked for, below that of the run

  bool forks() const { return !stream.empty(); }
};

// `number` 0: the first process, whose children follow their own streams too.
Result<ProcessReplay> LoadProcessReplay(const std::string& root, const std::string& given, uint64_t number);

// Puts the streams into the run's folder, and what the program had when it was executed. `lost` gets the numbers of
// children whose stream cannot be read: they run freely.
Status PlaceStreams(const ProcessReplay& replay, ControlledRun& run, std::vector<uint64_t>* lost);

// Children that followed their streams and did something else, by their numbers. For a replay of the first process.
std::vector<uint64_t> DivergedChildren(const ProcessReplay& replay, const std::string& folder);
// Until all children that follow streams have ended. Whatever else the replay left is killed.
void AwaitFollowers(const ProcessReplay& replay, const std::string& folder);

}  // namespace heddle::analysis
