// A recorded run on disk (docs/record-replay.md): META, text with the command and the options; QUEUE, the schedule;
// SYSCALL, what calls into the system returned; SIGNAL, the signals whose handlers ran. All but META are compressed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sched/schedule.h"

namespace heddle::sched {

struct DemoFolder {
  Schedule schedule;        // its header is in META as well
  std::string calls;        // demo_format.h: with the signals
  std::string damage = {};  // what of it could not be read; the part before that is here
};

// Whether the recording was cut because the disk was full: then `schedule` is left with the steps that it is good for.
bool CutToRecording(DemoFolder& demo);
// Whether it goes on to the end of the program.
bool IsWhole(const Schedule& schedule);

// `folder` exists. Nothing in it is replaced unless all of it can be written.
Status SaveDemo(const std::string& folder, const DemoFolder& demo);
// Never crashes on damaged files: what is whole before the damage is loaded, an error names the file of which nothing
// is.
Result<DemoFolder> LoadDemo(const std::string& folder);
bool IsDemo(const std::string& folder);

}  // namespace heddle::sched
