// Whether a deadlock that a run showed is the one that a static finding describes.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/deadlock/deadlock_plan.h"
#include "base/frame.h"
#include "detect/findings_file.h"

namespace heddle::analysis {

// A deadlock of a run, with names.
struct StuckThread {
  uint32_t number = 0;
  enum class For : uint8_t { kLock, kThread, kOnce, kCondition } waits_for = For::kLock;
  uint64_t object = 0;  // the lock, or the number of the thread whose end it waits for
  Stack stack;
  struct Lock {
    uint64_t lock = 0;
    Stack stack;
  };
  std::vector<Lock> holds;
};
struct StuckThreads {
  std::vector<StuckThread> threads;
  std::vector<uint64_t> left;  // locks of threads that ended with them
};

std::vector<StuckThreads> StuckIn(const detect::FindingsFile& file);

// Whether the stack goes through the lines of the place, its first one near the top.
bool AtPlace(const Stack& stack, const Place& place);

// Whether threads of the deadlock can be assigned to the edges of the plan.
bool Meets(const Plan& plan, const StuckThreads& stuck);

}  // namespace heddle::analysis
