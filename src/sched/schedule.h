// A schedule: the order of visible operations of a run, as text that a person can read, cut and edit
// (docs/schedule-format.md). Predict, explore, run and record write them, replay enforces them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace heddle::sched {

// `count` equal steps in a row.
struct ScheduleRun {
  uint32_t thread = 0;  // index into Schedule::threads
  uint8_t operation = 0;
  uint64_t count = 1;
  uint32_t line = 0;    // in the text it was read from
  std::string comment;  // where in the program, for people

  bool operator==(const ScheduleRun&) const = default;
};

struct Schedule {
  // Keys in the order in which they are written: program, argument (any number), build, strategy, seed, visible, ...
  std::vector<std::pair<std::string, std::string>> header;
  std::vector<std::string> threads;  // ids
  std::vector<ScheduleRun> runs;

  // The first value of a key; empty when there is none.
  std::string_view Value(std::string_view key) const;
  uint32_t ThreadIndex(std::string_view id);  // adds it when it is new
  // Appends one step; joins it with the last run when thread, operation and comment are the same.
  void Add(uint32_t thread, uint8_t operation, std::string comment);
  uint64_t Steps() const;
  // Leaves the first `steps` at most.
  void Cut(uint64_t steps);
  // Takes the first `steps` away.
  void Drop(uint64_t steps);
  // Of neighbouring steps, how often the thread changes.
  uint64_t Switches() const;
};

// Never crashes on bad text; the error names file, line and column with the line and a caret.
Result<Schedule> ParseSchedule(const std::string& name, std::string_view text);
std::string PrintSchedule(const Schedule& schedule);

// The bytes that the runtime enforces (step_format.h).
std::string CompileSchedule(const Schedule& schedule);

// The run that contains the step (from 0), for messages; null beyond the end.
const ScheduleRun* RunOfStep(const Schedule& schedule, uint64_t step);

}  // namespace heddle::sched
