// Leads threads into a cycle of waits that an analysis reported: a random walk that holds each thread which has
// acquired at the first place of an edge of the cycle and stands before the second one, until the others have come or
// nobody else can go (Joshi et al., PLDI 2009; docs/deadlock-confirm.md). Whom it holds could go on, so a deadlock
// under it is the program's own.
#pragma once

#include "sched/operation.h"
#include "sched/random.h"
#include "sched/strategy.h"
#include "wire/steer_format.h"

namespace heddle::sched {

class Steer final : public Strategy {
 public:
  Steer(uint64_t seed, const wire::SteerHeader& plan) : random_(seed), plan_(plan) {}
  bool Informed() const override { return true; }

  void Begins(uint32_t slot) override {
    hold_[slot] = Hold::kOpen;
    live_.Add(slot);
  }
  void Ends(uint32_t slot) override {
    live_.Remove(slot);
    for (uint32_t i = 0; i < holders_; ++i) {
      if (held_[i].slot == slot) held_[i--] = held_[--holders_];
    }
  }
  void Performed(uint32_t slot, const NextOp& op) override {
    hold_[slot] = Hold::kOpen;
    if (op.operation == Code(trace::Kind::Unlock)) Released(slot, op.address);
    // An attempt in vain writes nothing. A once-routine is entered, and left by the same operation again.
    bool acquired = op.operation == Code(trace::Kind::Lock) && op.writes;
    if (op.operation == kOnceEnter) acquired = !Released(slot, op.address);
    for (uint32_t edge = 0; acquired && edge < plan_.edges; ++edge) {
      if (Has(op.places, wire::HeldPlace(edge)) && holders_ < kMaxHolders) held_[holders_++] = {op.address, slot, edge};
    }
  }

  uint32_t Pick(const View& view) override {
    ThreadSet free;
    view.enabled->ForEach([&](uint32_t slot) {
      if (!Held(slot, view)) free.Add(slot);
    });
    met_ = Everywhere(view);
    const ThreadSet& among = free.empty() ? *view.enabled : free;
    uint32_t slot = among.Nth(static_cast<uint32_t>(random_.Below(among.count())));
    hold_[slot] = Hold::kGone;
    return slot;
  }

  // Whether, when it picked last, a thread that cannot go on was in position for every edge.
  bool Met() const { return met_; }

 private:
  enum class Hold : uint8_t { kOpen, kHeld, kGone };
  struct Holder {
    uint64_t lock;
    uint32_t slot;
    uint32_t edge;
  };
  // More acquisitions at the places of a cycle at one time are not followed.
  static constexpr uint32_t kMaxHolders = 256;

  static bool Has(uint64_t places, uint32_t place) { return (places >> place & 1U) != 0; }

  // The youngest acquisition of the lock, at each edge where it is one. Whether there was any.
  bool Released(uint32_t slot, uint64_t lock) {
    uint32_t before = holders_;
    for (uint32_t edge = 0; edge < plan_.edges; ++edge) {
      for (uint32_t i = holders_; i > 0; --i) {
        const Holder& held = held_[i - 1];
        if (held.slot != slot || held.lock != lock || held.edge != edge) continue;
        for (uint32_t j = i; j < holders_; ++j) held_[j - 1] = held_[j];
        --holders_;
        break;
      }
    }
    return holders_ != before;
  }

  bool Acquired(uint32_t slot, uint32_t edge) const {
    if ((plan_.from_start >> edge & 1U) != 0) return true;
    for (uint32_t i = 0; i < holders_; ++i) {
      if (held_[i].slot == slot && held_[i].edge == edge) return true;
    }
    return false;
  }

  bool InPosition(uint32_t slot, uint32_t edge, const NextOp& op) const {
    return Has(op.places, wire::WaitPlace(edge)) && Acquired(slot, edge);
  }

  bool Held(uint32_t slot, const View& view) {
    bool in_position = false;
    for (uint32_t edge = 0; edge < plan_.edges; ++edge) {
      in_position = in_position || InPosition(slot, edge, view.next[slot]);
    }
    if (!in_position || hold_[slot] == Hold::kGone) return false;
    if (hold_[slot] == Hold::kOpen) {
      hold_[slot] = random_.Below(100) < plan_.chance ? Hold::kHeld : Hold::kGone;
      since_[slot] = view.step;
    } else if (view.step - since_[slot] > plan_.patience) {
      hold_[slot] = Hold::kGone;
    }
    return hold_[slot] == Hold::kHeld;
  }

  bool Everywhere(const View& view) const {
    uint32_t reached = 0;
    live_.ForEach([&](uint32_t slot) {
      if (view.enabled->Has(slot)) return;
      for (uint32_t edge = 0; edge < plan_.edges; ++edge) {
        if (InPosition(slot, edge, view.next[slot])) reached |= 1U << edge;
      }
    });
    return plan_.edges > 0 && reached == (plan_.edges == 32 ? ~0U : (1U << plan_.edges) - 1);
  }

  Random random_;
  wire::SteerHeader plan_;
  bool met_ = false;
  uint32_t holders_ = 0;
  Holder held_[kMaxHolders] = {};
  ThreadSet live_;
  Hold hold_[kMaxSlots] = {};
  uint64_t since_[kMaxSlots] = {};
};

}  // namespace heddle::sched
