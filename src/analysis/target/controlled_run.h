// Running a program under controlled scheduling, and what is left of the run.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/target/process.h"
#include "analysis/target/step_places.h"
#include "analysis/target/visibility.h"
#include "base/deadline.h"
#include "base/result.h"
#include "detect/findings_file.h"
#include "findings/report.h"
#include "sched/control_lines.h"
#include "sched/schedule.h"
#include "wire/control_words.h"

namespace heddle::analysis {

// The options of a controlled run, as HEDDLE_OPTIONS has them.
struct ControlOptions {
  wire::Strategy strategy = wire::Strategy::kRandom;
  uint64_t seed = 1;
  uint64_t depth = 3;
  uint64_t length = 1000;
  wire::Carrier carrier = wire::Carrier::kOs;
  Visibility visible;
  wire::TimeMode time = wire::TimeMode::kByStrategy;
  bool alone = false;  // replay: waits give no time to processes outside, as in the recorded run
  wire::Strategy then = wire::Strategy::kQueue;
  uint64_t until = 0;
  wire::MemoryModel memory = wire::MemoryModel::kSc;  // c11: loads read what the schedule says
  bool detect = false;
  bool stuck = false;  // replay: the schedule ends where threads wait for each other while others could go on
  bool eager = false;  // fibers: the recorded strategy was queue or a search
  uint64_t ring = 0;   // record: bytes of which the end is kept; 0: all of it
  uint64_t every_milliseconds = 10'000;  // with ring: between checkpoints
  uint64_t every_steps = 0;              // the same in steps; 0: by time
  bool process = false;                  // replay: of a process that is not the first
  bool watchdog = true;                  // false: a thread without visible operations is never passed over
};

struct ControlledRun {
  std::vector<std::string> command;
  std::string program;                                // the file, when it is not named by the command's first word
  std::optional<std::vector<std::string>> inherited;  // environment in the place of ours
  std::string stream;                                 // replay of one process: the folder of its files, below `folder`
  ControlOptions options;
  std::string trace;                   // not empty: records the run there (and does not detect)
  std::string enforce;                 // strategies fixed and guided: the compiled schedule
  std::string folder;                  // absolute; the run's files go here
  double seconds = 0;                  // time limit, 0: none
  std::optional<Deadline> read_until;  // the run's steps are read until then, and not if they are very many; none: all
  bool quiet = false;                  // the program's output is not shown; its end is kept
  bool judge_exit = true;              // an exit code that is not 0 is a finding
  std::vector<std::string> environment;  // more NAME=VALUE
  std::string choices;                   // numbers that the program asks for, with commas
  std::string reads;                     // memory c11: the stores that atomics read or follow, with commas
  std::vector<std::string> debugger;     // put before the command
  std::shared_ptr<StepPlaces> places;    // shared by runs of one program; null: its own
};

struct ControlledEnd {
  ChildEnd child;
  bool timed_out = false;
  detect::FindingsFile found;   // modules, threads, findings
  sched::ControlLines control;  // divergence, where it stopped
  sched::Schedule schedule;     // of the steps that were performed
  std::string damage;           // why the schedule is not complete; empty when it is
  bool unread = false;          // it is empty, because there was no time or no room for it (`damage` says so)
  std::set<uint64_t> code;      // addresses of the code that performed the steps
  bool on_the_way = false;      // replay of one process: it did not begin; this is of the first one
};

// What the runtime is told, NAME=VALUE; of one size for every run.
std::vector<std::string> ControlledEnvironment(const ControlledRun& run);

// Errors: the program cannot be started (kNotFound, kIo), or it was not built with heddle cc (kUnsupported).
Result<ControlledEnd> RunControlled(const ControlledRun& run);

// The run's command and options, as the header of a schedule has them.
void AddSettings(const ControlledRun& run, sched::Schedule& schedule);

// What a run left in its folder. `child` is not set.
Result<ControlledEnd> ReadEnd(const ControlledRun& run);

// What the run showed: races, deadlocks, a crash. `schedule_path` reproduces it.
findings::Report ReportOf(const ControlledRun& run, const ControlledEnd& end, const std::string& schedule_path);

// What an explored execution chose, for its replay: numbers that the program asked for, stores that loads read.
void AddChoices(const sched::Schedule& schedule, ControlledRun& run);

// The environment lies above the main thread's stack: with this, heddle's part of it has the same size in every run, so
// that addresses do not move.
void AddPadding(std::vector<std::string>& environment);

// The command as a person would type it.
std::string CommandText(const std::vector<std::string>& command);

}  // namespace heddle::analysis
