// A run with as few switches as possible, but for those that it is told: a thread goes on until it cannot, except where
// the list has a switch behind its n-th step. What `heddle shrink` searches with: any part of a list is a run, however
// the rest of the program changes with it. Without a list, as runs are recorded, a thread that has made very many steps
// gives way to another: it may wait for that one in a loop that takes and gives back a lock.
#pragma once

#include "sched/strategy.h"
#include "wire/step_format.h"

namespace heddle::sched {

class Guided final : public Strategy {
 public:
  // `switches` stays alive and is sorted by thread and count.
  Guided(const wire::Switch* switches, uint64_t count) : switches_(switches), count_(count) {}

  void Begins(uint32_t slot) override {
    name_[slot] = -1;
    done_[slot] = 0;
  }
  void Named(uint32_t slot, int32_t name) override { name_[slot] = name; }
  void Performed(uint32_t slot, const NextOp&) override {
    ++done_[slot];
    in_a_row_ = slot == performed_ ? in_a_row_ + 1 : 1;
    performed_ = slot;
    target_ = TargetOf(slot);
  }
  void Yields(uint32_t slot) override { yielded_ = slot; }

  uint32_t Pick(const View& view) override {
    uint32_t wanted = SlotOf(target_, *view.enabled);
    if (wanted != kNoSlot) {
      target_ = -1;
      return wanted;
    }
    bool tired = count_ == 0 && performed_ == view.last && in_a_row_ >= kMostInARow;
    bool stays = view.last != kNoSlot && view.enabled->Has(view.last) && yielded_ != view.last && !tired;
    yielded_ = kNoSlot;
    if (tired) in_a_row_ = 0;
    if (stays) return view.last;
    uint32_t next = view.last == kNoSlot ? kNoSlot : view.enabled->From(view.last + 1);
    return next != kNoSlot ? next : view.enabled->First();
  }

  static constexpr uint32_t kMostInARow = 1000;

 private:
  int32_t TargetOf(uint32_t slot) const {
    if (name_[slot] < 0) return -1;
    auto thread = static_cast<uint32_t>(name_[slot]);
    uint64_t low = 0;
    uint64_t high = count_;
    while (low < high) {
      uint64_t middle = (low + high) / 2;
      const wire::Switch& at = switches_[middle];
      bool before = at.thread != thread ? at.thread < thread : at.after < done_[slot];
      (before ? low : high) = before ? middle + 1 : middle;
    }
    bool found = low < count_ && switches_[low].thread == thread && switches_[low].after == done_[slot];
    return found ? static_cast<int32_t>(switches_[low].target) : -1;
  }

  uint32_t SlotOf(int32_t name, const ThreadSet& enabled) const {
    if (name < 0) return kNoSlot;
    uint32_t found = kNoSlot;
    enabled.ForEach([&](uint32_t slot) {
      if (name_[slot] == name) found = slot;
    });
    return found;
  }

  const wire::Switch* switches_;
  uint64_t count_;
  int32_t target_ = -1;
  uint32_t yielded_ = kNoSlot;
  uint32_t performed_ = kNoSlot;
  uint32_t in_a_row_ = 0;  // steps of that thread
  int32_t name_[kMaxSlots] = {};
  uint64_t done_[kMaxSlots] = {};
};

}  // namespace heddle::sched
