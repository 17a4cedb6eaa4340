// The processes of a demo (docs/record-replay.md, Processes): the file PROCESSES has a line for each, in the order of
// their numbers,
//
//   NUMBER BEGAN PARENT STEP END STEPS PROGRAM
//
// BEGAN is start, fork or exec; STEP are the parent's steps before a fork; END is exit:CODE, exec or killed; STEPS are
// its own; PROGRAM is the command, to the end of the line. Process 1 is in the demo's own files, N in the folder
// process-N, which has the same files. A demo without PROCESSES has one process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace heddle::sched {

enum class DemoBegan : uint8_t { kStart, kFork, kExec };

struct DemoProcess {
  uint64_t number = 1;
  DemoBegan began = DemoBegan::kStart;
  uint64_t parent = 0;
  uint64_t step = 0;
  std::string end = "killed";
  uint64_t steps = 0;
  std::string program;

  bool operator==(const DemoProcess&) const = default;
};

std::string PrintProcesses(const std::vector<DemoProcess>& processes);
// Never crashes on bad text; an error names file and line. Parents come before their children.
Result<std::vector<DemoProcess>> ParseProcesses(const std::string& name, std::string_view text);

Status SaveProcesses(const std::string& demo, const std::vector<DemoProcess>& processes);
Result<std::vector<DemoProcess>> LoadProcesses(const std::string& demo);

std::string FolderOfProcess(const std::string& demo, uint64_t number);
const DemoProcess* FindProcess(const std::vector<DemoProcess>& processes, uint64_t number);
// From the process that began with a program, fork by fork, to `number`; the error says which there are.
Result<std::vector<const DemoProcess*>> WayTo(const std::vector<DemoProcess>& processes, uint64_t number);

// As a person reads it: "fork of 1 at step 14", "exec of 2".
std::string BeganText(const DemoProcess& process);
std::string EndText(const DemoProcess& process);

}  // namespace heddle::sched
