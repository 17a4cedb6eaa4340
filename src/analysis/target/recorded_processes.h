// The processes that a recorded program started and that are built with heddle cc: each has left a folder process-N
// (wire/process_format.h), which becomes a part of the demo.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/target/controlled_run.h"
#include "base/result.h"
#include "sched/demo_processes.h"

namespace heddle::analysis {

// Until none of them lives; `waits` is called once when that takes time, with their number. False: interrupted, and
// they were ended.
bool AwaitProcesses(const std::string& folder, const std::function<void(size_t)>& waits);

struct RecordedProcesses {
  std::vector<sched::DemoProcess> all;  // the first too
  std::string unfollowed;               // calls that the recording cannot follow
  uint64_t unrecorded = 0;              // processes without a stream
};
// Writes the streams of all but the first process below `demo`, and its PROCESSES when there are any. `first` is the
// schedule of the first.
Result<RecordedProcesses> SaveRecordedProcesses(const ControlledRun& run, const sched::Schedule& first,
                                                const std::string& demo);

}  // namespace heddle::analysis
