// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatti, ASPLOS 2010).
//
// Each thread gets a random priority when it is created; the enabled thread with the highest one goes. At depth-1
// steps, drawn before the run from the first `length`, the thread that is about to go falls below all others. A bug
// that needs `depth` ordering constraints is found with probability at least 1 / (threads * length^(depth-1)), where
// `threads` and `length` bound the run.
//
// The guarantee is for programs that end whatever the priorities. One that spins until another thread acts would never
// end: a thread that yields falls below all others as well, which may cost a part of the bound and nothing else.
#pragma once

#include "sched/random.h"
#include "sched/strategy.h"

namespace heddle::sched {

class Pct final : public Strategy {
 public:
  static constexpr uint32_t kMaxDepth = 64;

  Pct(uint64_t seed, uint32_t depth, uint64_t length) : random_(seed) {
    changes_ = depth == 0 ? 0 : depth - 1;
    if (changes_ > kMaxDepth) changes_ = kMaxDepth;
    for (uint32_t i = 0; i < changes_; ++i) change_[i] = random_.Below(length == 0 ? 1 : length);
  }

  void Begins(uint32_t slot) override { priority_[slot] = kInitial + random_.Below(kInitial); }
  void Yields(uint32_t slot) override { priority_[slot] = --lowest_; }

  uint32_t Pick(const View& view) override {
    uint32_t best = Highest(*view.enabled);
    for (uint32_t i = 0; i < changes_; ++i) {
      if (change_[i] != view.step) continue;
      change_[i] = UINT64_MAX;
      priority_[best] = --lowest_;
      best = Highest(*view.enabled);
    }
    return best;
  }

 private:
  static constexpr uint64_t kInitial = uint64_t{1} << 62U;

  uint32_t Highest(const ThreadSet& enabled) const {
    uint32_t best = kNoSlot;
    enabled.ForEach([&](uint32_t slot) {
      if (best == kNoSlot || priority_[slot] > priority_[best]) best = slot;
    });
    return best;
  }

  Random random_;
  uint32_t changes_;
  uint64_t change_[kMaxDepth] = {};
  uint64_t priority_[kMaxSlots] = {};
  uint64_t lowest_ = kInitial;
};

}  // namespace heddle::sched
