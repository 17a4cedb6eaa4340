// Leads two threads to the two accesses of a race that an analysis reported: a random walk that holds each thread which
// stands before an access at one of the two places, until another one stands at the other place, before the same
// memory. Then both go, one right after the other, by chance which first (Sen, Race Directed Random Testing, PLDI 2008;
// docs/deadlock-confirm.md). Nothing comes between the two, so no lock that is taken later can order them.
//
// Whom it holds could go on: it adds no wait to the program, and what the detector sees is the program's own race.
// Places are those of wire/steer_format.h, with an edge that needs no acquisition for each access.
#pragma once

#include "sched/operation.h"
#include "sched/random.h"
#include "sched/strategy.h"
#include "wire/steer_format.h"

namespace heddle::sched {

class SteerRace final : public Strategy {
 public:
  SteerRace(uint64_t seed, const wire::SteerHeader& plan) : random_(seed), plan_(plan) {}
  bool Informed() const override { return true; }

  void Begins(uint32_t slot) override { hold_[slot] = Hold::kOpen; }
  void Ends(uint32_t slot) override { hold_[slot] = Hold::kOpen; }
  void Performed(uint32_t slot, const NextOp& op) override {
    (void)op;
    hold_[slot] = Hold::kOpen;
  }

  uint32_t Pick(const View& view) override {
    if (due_ != kNoSlot && view.enabled->Has(due_)) return Go(due_);
    due_ = kNoSlot;
    ThreadSet free;
    ThreadSet held;
    view.enabled->ForEach([&](uint32_t slot) { (Held(slot, view) ? held : free).Add(slot); });
    uint32_t first = Meeting(held, view);
    if (first != kNoSlot) return Go(first);
    const ThreadSet& among = free.empty() ? *view.enabled : free;
    return Go(among.Nth(static_cast<uint32_t>(random_.Below(among.count()))));
  }

  // How many times two threads stood before the same memory, at the two places.
  uint32_t Meetings() const { return met_; }

 private:
  enum class Hold : uint8_t { kOpen, kHeld, kGone };
  // Memory at which threads have met: nobody is held there again, so that other memory at the same lines has its turn.
  static constexpr uint32_t kMaxMet = 64;

  static bool Has(uint64_t places, uint32_t edge) { return (places >> wire::WaitPlace(edge) & 1U) != 0; }

  uint32_t Go(uint32_t slot) {
    hold_[slot] = Hold::kGone;
    if (slot == due_) due_ = kNoSlot;
    return slot;
  }

  bool Known(uint64_t address) const {
    for (uint32_t i = 0; i < met_ && i < kMaxMet; ++i) {
      if (met_at_[i] == address) return true;
    }
    return false;
  }

  bool Held(uint32_t slot, const View& view) {
    const NextOp& op = view.next[slot];
    if (hold_[slot] == Hold::kGone || (!Has(op.places, 0) && !Has(op.places, 1)) || Known(op.address)) return false;
    if (hold_[slot] == Hold::kOpen) {
      hold_[slot] = random_.Below(100) < plan_.chance ? Hold::kHeld : Hold::kGone;
      since_[slot] = view.step;
    } else if (view.step - since_[slot] > plan_.patience) {
      hold_[slot] = Hold::kGone;
    }
    return hold_[slot] == Hold::kHeld;
  }

  // An atomic is known by its first byte.
  static uint64_t Bytes(const NextOp& op) { return op.operation == kAccess && op.detail > 0 ? op.detail : 1; }

  static bool Collide(const NextOp& a, const NextOp& b) {
    bool places = (Has(a.places, 0) && Has(b.places, 1)) || (Has(a.places, 1) && Has(b.places, 0));
    bool memory = a.address < b.address + Bytes(b) && b.address < a.address + Bytes(a);
    bool plain = a.operation == kAccess || b.operation == kAccess;
    return places && memory && plain && (a.writes || b.writes);
  }

  // The one of two held threads that goes first; the other is due then.
  uint32_t Meeting(const ThreadSet& held, const View& view) {
    uint32_t first = kNoSlot;
    held.ForEach([&](uint32_t a) {
      held.ForEach([&](uint32_t b) {
        if (first != kNoSlot || a >= b || !Collide(view.next[a], view.next[b])) return;
        bool swap = random_.Below(2) == 0;
        first = swap ? b : a;
        due_ = swap ? a : b;
      });
    });
    if (first == kNoSlot) return first;
    if (met_ < kMaxMet) met_at_[met_] = view.next[first].address;
    ++met_;
    return first;
  }

  Random random_;
  wire::SteerHeader plan_;
  uint32_t due_ = kNoSlot;
  uint32_t met_ = 0;
  uint64_t met_at_[kMaxMet] = {};
  Hold hold_[kMaxSlots] = {};
  uint64_t since_[kMaxSlots] = {};
};

}  // namespace heddle::sched
