// Command and program on one processor while they take turns (a search with one program): only one of them runs at any
// time, and waking the other on a second, idle processor costs more than a short execution does, in both processes and
// for the caches that they share.
//
// The program must not see this. Only a process is held that performs executions in place: there every system call that
// would tell leads to another process (runtime/control/search/in_place.h), which nobody holds. Processes that the
// command starts meanwhile get its own mask back (GiveBackProcessors). Every 50 ms the command is let go for one
// wake-up: the kernel then puts it where there is room, and the program follows.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <chrono>

namespace heddle::analysis {

class SharedCore {
 public:
  using Clock = std::chrono::steady_clock;
  SharedCore() = default;
  ~SharedCore() { LetGo(); }
  SharedCore(const SharedCore&) = delete;
  SharedCore& operator=(const SharedCore&) = delete;

  // Before `other` is asked for something and the calling thread waits for it; 0: nobody may be held.
  void Hold(pid_t other, Clock::time_point now);

 private:
  void LetGo();

  bool held_ = false;
  pid_t other_ = 0;
  Clock::time_point since_;
};

// In a new process, before it becomes another program: undoes Hold, if there was one. Async-signal-safe.
void GiveBackProcessors();

}  // namespace heddle::analysis
