// Partial order sampling (Yuan, Yang, Gu, CAV 2018): every pending operation has a random priority, the highest goes;
// the priorities of the operations that race with it are drawn anew, its own thread's next operation gets a fresh one.
// So each of two racing operations comes first with the same chance, however many others there are.
#pragma once

#include "sched/random.h"
#include "sched/strategy.h"

namespace heddle::sched {

class Pos final : public Strategy {
 public:
  explicit Pos(uint64_t seed) : random_(seed) {}
  bool Informed() const override { return true; }

  void Begins(uint32_t slot) override { priority_[slot] = Draw(); }
  void Performed(uint32_t slot, const NextOp& op) override {
    done_ = op;
    if (slot != yielded_) priority_[slot] = Draw();
    yielded_ = kNoSlot;
    redraw_ = true;
  }
  // Spinning would go on while the priority happens to be high. Below all others, and below whoever yielded before;
  // also for the next operation, when it is the one under way that yields.
  void Yields(uint32_t slot) override {
    priority_[slot] = --lowest_;
    yielded_ = slot;
  }

  uint32_t Pick(const View& view) override {
    if (redraw_) {
      view.enabled->ForEach([&](uint32_t slot) {
        if (slot != view.last && Races(view.next[slot], done_)) priority_[slot] = Draw();
      });
      redraw_ = false;
    }
    uint32_t best = kNoSlot;
    view.enabled->ForEach([&](uint32_t slot) {
      if (best == kNoSlot || priority_[slot] > priority_[best]) best = slot;
    });
    return best;
  }

 private:
  static bool Races(const NextOp& a, const NextOp& b) {
    return a.address != 0 && a.address == b.address && (a.writes || b.writes);
  }

  uint64_t Draw() { return random_.Next() | kDrawn; }

  static constexpr uint64_t kDrawn = uint64_t{1} << 63U;
  uint64_t lowest_ = kDrawn;
  uint32_t yielded_ = kNoSlot;
  Random random_;
  NextOp done_;
  bool redraw_ = false;
  uint64_t priority_[kMaxSlots] = {};
};

}  // namespace heddle::sched
