// The main job on one program: a recorded run, what other orders of it show, each confirmed by replay, then other
// executions for the time that is left.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/target/target.h"
#include "base/deadline.h"
#include "base/result.h"
#include "findings/report.h"
#include "wire/control_words.h"

namespace heddle::analysis {

struct CheckRun {
  std::vector<std::string> command;
  Target* target = &Processes();  // what runs it
  std::string folder;             // results go here
  std::string heddle;             // the program, to look for static candidates with; empty: none are looked for
  double seconds = 60;            // of everything
  double explore_seconds = 5;
  wire::TimeMode time = wire::TimeMode::kByStrategy;  // whether waits give processes outside their time
  Deadline deadline;                                  // the same from the beginning of the command
};

enum class CheckPhase { kRun, kExplore, kStatic };

struct CheckProgress {
  CheckPhase phase = CheckPhase::kRun;
  uint64_t executions = 0;  // of the exploration
  uint64_t findings = 0;
};

// Where the time went.
struct CheckTimes {
  double record = 0;   // the recorded run
  double predict = 0;  // other orders of it, and their replays
  double explore = 0;  // 0: there was none
  double steer = 0;    // static candidates and runs that are led to them; 0: there was no bitcode
};

// `tell` is called at the beginning of each phase and now and then. Errors: the program cannot be started or was not
// built with heddle cc.
Result<findings::Report> CheckProgram(const CheckRun& run, const std::function<void(const CheckProgress&)>& tell,
                                      CheckTimes* times);

// What a search adds to what one run and its reorderings have shown.
void TakeIn(const findings::Report& explored, findings::Report& report);

}  // namespace heddle::analysis
