// The processes of one recording (docs/record-replay.md, Processes). The runtime of each writes a folder process-N
// beside the files of the first one; heddle record makes a demo of it. Freestanding.
//
//   process-N/about        ProcessAbout, mapped into the process
//   process-N/program      the name by which the kernel started the program, and its folder, each with a null behind it
//   process-N/arguments    as /proc/PID/cmdline has them
//   process-N/environment  as /proc/PID/environ has it
//   process-N/descriptors  open when it started: of ImageDescriptor (image_format.h), without the first three
//   process-N/calls, steps, findings.record   as those of the first process, whose folder is that of the run
//
// The texts are there of processes that began with a program; those that fork made share their parent's.
//
// In a replay the files of a process that fork made are in fork-S below its parent's folder, where S are the steps that
// the parent had performed before. `here` marks the process that is asked for, when that is not the first; `id` has
// the kernel's number of one that follows its stream: 0 while it begins, -1 when it executes another program.
#pragma once

#include <cstdint>

namespace heddle::wire {

inline constexpr char kProcessPart[] = "/process-";
inline constexpr char kForkPart[] = "/fork-";
inline constexpr char kAboutName[] = "/about";
inline constexpr char kProgramName[] = "/program";
inline constexpr char kArgumentsName[] = "/arguments";
inline constexpr char kEnvironmentName[] = "/environment";
inline constexpr char kDescriptorsName[] = "/descriptors";
inline constexpr char kStreamCallsName[] = "/calls";
inline constexpr char kStreamStepsName[] = "/steps";
inline constexpr char kStreamScheduleName[] = "/enforce";
inline constexpr char kStreamFindingsName[] = "/findings.record";
inline constexpr char kHereName[] = "/here";
inline constexpr char kIdName[] = "/id";

// HEDDLE_OWNER: the number of the process that is under control, in so many digits; zero: none is yet.
inline constexpr int kOwnerDigits = 6;

inline constexpr char kProcessMagic[8] = {'H', 'D', 'L', 'P', 'R', 'O', 'C', '1'};

enum class ProcessBegan : uint32_t { kStart, kFork, kExec };
enum class ProcessEnded : uint32_t { kNot, kExit, kExec };  // kNot: it was killed, or lives

struct ProcessAbout {
  char magic[8];
  uint32_t number;  // from 1, in the order in which they began
  uint32_t parent;  // whose; 0: of a program that is not recorded
  uint64_t step;    // kFork: steps of the parent before
  ProcessBegan began;
  ProcessEnded ended;
  int32_t code;          // kExit
  int32_t id;            // the kernel's
  uint32_t last;         // of process 1: the highest number that was given
  uint32_t unrecorded;   // of process 1: processes that have no stream
  uint32_t beginning;    // of process 1: forks whose child has not taken its number yet
  char unfollowed[512];  // calls that the recording cannot follow, with "; " between
};
inline constexpr uint64_t kAboutBytes = 4096;
static_assert(sizeof(ProcessAbout) <= kAboutBytes);

}  // namespace heddle::wire
