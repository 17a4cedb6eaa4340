// Who waits at a condition variable or futex and may go on: the same rule as in the target
// (runtime/control/turn/waits.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explore/execution.h"

namespace heddle::explore {

class WaitQueue {
 public:
  // Events that are about another object change nothing.
  void Perform(const ExploredEvent& event, uint64_t object);
  bool CanWake(uint32_t thread) const;

 private:
  struct Waiter {
    uint32_t thread;
    uint64_t since;
    bool woken;
  };
  void Signal(uint32_t count);
  void Leave(uint32_t thread);
  size_t TokenFor(const Waiter& waiter) const;

  std::vector<Waiter> waiters_;
  std::vector<uint64_t> tokens_;  // when they came, oldest first
  uint64_t sequence_ = 0;
};

}  // namespace heddle::explore
