// One cut of a model with the state of its objects: which thread may go on, one step, and that step taken back.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "predict/model.h"

namespace heddle::predict {

// What a search respects beyond the model's rules. The two lists grow when replays diverge: what a thread did not
// do again in another order, it is not asked to do in that order any more.
struct Constraints {
  bool data = false;           // a thread goes on only after the writers of what it has read
  bool lost_signals = false;   // a wait that begins after its signal never ends; else it may end at once
  Cut data_until = {};         // by thread: the same as `data` for the operations before this one
  std::set<Place> waits = {};  // waits that do not begin after their signal

  bool KeepsData(uint32_t thread, uint32_t position) const {
    return data || (thread < data_until.size() && position < data_until[thread]);
  }
};

class CutMachine {
 public:
  CutMachine(const TraceModel* model, const Constraints* constraints);

  // Sections of these locks are never interrupted, so that they need not be watched (`eager` steps run through them).
  void Ignore(uint32_t lock) { ignored_[lock] = 1; }

  const Cut& cut() const { return cut_; }
  uint32_t Position(uint32_t thread) const { return cut_[thread]; }
  bool Ended(uint32_t thread) const { return cut_[thread] == model_->threads[thread].size(); }
  const SyncEvent& Next(uint32_t thread) const { return model_->threads[thread][cut_[thread]]; }
  bool Lost(uint32_t thread) const { return lost_[thread] != 0; }

  // Whether the thread, which has not ended, can perform its next operation.
  bool Enabled(uint32_t thread) const;

  // Whether the program itself would wait at the next operation. A thread that stands there only because it would read
  // something else than in the run does not wait: it would go another way.
  bool Waits(uint32_t thread) const;

  // Whether nothing can be gained by postponing the operation once it is enabled: it stays so, and no operation of
  // another thread is disabled by it.
  bool Eager(const SyncEvent& event) const;

  void Perform(uint32_t thread);
  void Undo(uint32_t thread);

 private:
  struct LockState {
    bool held = false;
    uint32_t readers = 0;
  };
  struct BarrierState {
    uint64_t enters = 0;
    uint64_t exits = 0;
  };

  bool ObjectAllows(const SyncEvent& event, uint32_t thread) const;
  bool NeedsMet(const SyncEvent& event, uint32_t thread) const;
  bool MustMet(const SyncEvent& event) const;
  void Apply(const SyncEvent& event, bool forward);
  bool SignalCame(uint32_t thread) const;

  const TraceModel* model_;
  const Constraints* constraints_;
  Cut cut_;
  std::vector<LockState> locks_;
  std::vector<int64_t> semaphores_;
  std::vector<BarrierState> barriers_;
  std::vector<uint8_t> lost_;     // by thread
  std::vector<uint8_t> ignored_;  // by lock
};

}  // namespace heddle::predict
