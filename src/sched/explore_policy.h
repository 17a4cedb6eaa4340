// How one execution of a search goes: first as told (the prefix), then freely, but never into what the search has
// explored already (the sleep set). Used in the target and by the models of the tests. Freestanding.
//
// A thread sleeps at a state when every execution that begins with its next operation there has been explored. It wakes
// when an operation is performed that does not commute with its own.
#pragma once

#include <cstdint>

#include "wire/explored_event.h"

namespace heddle::sched {

struct Plan {
  const wire::PlannedStep* prefix = nullptr;
  uint64_t length = 0;
  const wire::ExploredEvent* sleeping = nullptr;  // the next operations of the threads that sleep ...
  uint32_t sleepers = 0;
  uint64_t sleep_from = 0;  // ... before this step
};

enum class Choice : uint8_t { kGo, kAsleep, kDiverged };

class ExplorePolicy {
 public:
  void Begin(const Plan& plan) {
    plan_ = plan;
    step_ = 0;
    last_ = wire::kMaxExplored;
    run_ = 0;
    sleeping_ = {};
  }
  // The same when `step` steps of the prefix have been performed, the last one by `last`.
  void BeginAt(const Plan& plan, uint64_t step, uint32_t last) {
    Begin(plan);
    step_ = step;
    last_ = last;
  }

  // The threads that sleep before this step, and what they stand before.
  const wire::ThreadBits& Sleeping() {
    if (step_ == plan_.sleep_from) FallAsleep();
    return sleeping_;
  }
  const wire::ExploredEvent& Asleep(uint32_t thread) const { return asleep_[thread]; }

  // Who goes; `enabled` is not empty. kAsleep: all that could go sleep. kDiverged: who should go cannot. `revived`:
  // sleep but can read a store that was not there; `late`: had better go when the others have.
  Choice Pick(const wire::ThreadBits& enabled, uint32_t* thread, const wire::ThreadBits& revived = {},
              const wire::ThreadBits& late = {}) {
    wire::ThreadBits awake = enabled - (Sleeping() - revived);
    if (step_ < plan_.length) {
      *thread = plan_.prefix[step_].thread;
      return enabled.Has(*thread) ? Choice::kGo : Choice::kDiverged;
    }
    if (awake.empty()) return Choice::kAsleep;
    if (wire::ThreadBits soon = awake - late; !soon.empty()) awake = soon;
    *thread = Freely(awake);
    return Choice::kGo;
  }

  // The number that a choice in this step gets.
  uint32_t Value() const {
    uint32_t value = StoreValue();
    return value == wire::kAnyValue ? 0 : value;
  }
  // The store for a C11 atomic in this step.
  uint32_t StoreValue() const { return step_ < plan_.length ? plan_.prefix[step_].value : wire::kAnyValue; }

  void Performed(const wire::ExploredEvent& event) {
    if (step_ >= plan_.sleep_from) {
      sleeping_.ForEach([&](uint32_t sleeper) {
        if (wire::Dependent(asleep_[sleeper], event)) sleeping_.Remove(sleeper);
      });
    }
    run_ = event.thread == last_ ? run_ + 1 : 1;
    last_ = event.thread;
    ++step_;
  }

  // Who is to go in this step; only in the prefix.
  uint32_t Planned() const { return plan_.prefix[step_].thread; }

  uint64_t step() const { return step_; }
  bool InPrefix() const { return step_ < plan_.length; }

 private:
  // The last thread goes on, or else the first that can. One that has gone on for long may wait for another: that one
  // goes, the next in the order of their numbers.
  uint32_t Freely(const wire::ThreadBits& awake) const {
    constexpr uint32_t kLong = 400;
    bool goes_on = last_ < wire::kMaxExplored && awake.Has(last_);
    if (goes_on && run_ < kLong) return last_;
    if (!goes_on) return awake.First();
    wire::ThreadBits behind = awake - wire::ThreadBits::Below(last_);
    behind.Remove(last_);
    return behind.empty() ? awake.First() : behind.First();
  }

  void FallAsleep() {
    for (uint32_t i = 0; i < plan_.sleepers; ++i) {
      asleep_[plan_.sleeping[i].thread] = plan_.sleeping[i];
      sleeping_.Add(plan_.sleeping[i].thread);
    }
  }

  Plan plan_;
  uint64_t step_ = 0;
  uint32_t last_ = wire::kMaxExplored;
  uint32_t run_ = 0;  // steps of that thread, one after the other
  wire::ThreadBits sleeping_;
  wire::ExploredEvent asleep_[wire::kMaxExplored];
};

}  // namespace heddle::sched
