// The strategies that need nothing but a seed. Each is deterministic in it.
#pragma once

#include "sched/random.h"
#include "sched/strategy.h"

namespace heddle::sched {

// The next higher slot that is enabled, one operation each.
class RoundRobin final : public Strategy {
 public:
  uint32_t Pick(const View& view) override {
    uint32_t next = view.last == kNoSlot ? view.enabled->First() : view.enabled->From(view.last + 1);
    return next != kNoSlot ? next : view.enabled->First();
  }
};

// Every enabled thread with the same probability, at every step.
class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(uint64_t seed) : random_(seed) {}
  uint32_t Pick(const View& view) override {
    return view.enabled->Nth(static_cast<uint32_t>(random_.Below(view.enabled->count())));
  }

 private:
  Random random_;
};

// First come, first served; the scheduler keeps the queue (it is the order of arrival), this only says so. Pick is for
// the moments when several come back at once: the lowest slot.
class Queue final : public Strategy {
 public:
  bool ByArrival() const override { return true; }
  uint32_t Pick(const View& view) override { return view.enabled->First(); }
};

}  // namespace heddle::sched
