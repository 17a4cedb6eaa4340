// Sync-preserving prediction: the least cut that has what the target needs, where every read keeps its writer and the
// sections of each lock keep their order. If that cut leaves every thread of the target where it should be, the run's
// own operations up to the cut, in the run's own order, are a run that reaches it.
//
// The closure only grows: asking for targets further on in the same threads goes on where the last question ended, so
// all the questions of one pair of threads together cost one pass over the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/model.h"

namespace heddle::predict {

class SyncPreserving {
 public:
  explicit SyncPreserving(const TraceModel* model);

  // Forgets what was asked before.
  void Restart();

  // The closure of all targets since Restart: whether it stops exactly at this one. No thread's position may be below
  // that of an earlier target.
  bool Reaches(const Target& target);

  // After Reaches: how far the closure took a thread. A thread that is beyond its target is so for later targets too.
  uint32_t Position(uint32_t thread) const { return cut_[thread]; }
  bool impossible() const { return impossible_; }

  // After Reaches has said yes.
  Witness MakeWitness() const;

 private:
  struct Taken {
    uint32_t order;
    Place place;
  };
  struct LockState {
    Taken top{kNone, {}};        // the last exclusive section
    std::vector<Taken> readers;  // the last shared section of each thread
    uint32_t stamp = 0;
  };
  struct Cursor {
    uint32_t done = 0;
    uint32_t stamp = 0;
  };

  void Raise(uint32_t thread, uint32_t count);
  void RaiseRelease(Place taken);
  void Perform(Place place);
  void Take(Place place, const SyncEvent& event, bool shared);
  void UpTo(const std::vector<uint32_t>& orders, Cursor& cursor, uint32_t limit);

  const TraceModel* model_;
  Cut cut_;
  Cut done_;  // operations whose rules were applied
  std::vector<uint32_t> work_;
  std::vector<LockState> locks_;
  std::vector<Cursor> posts_;
  std::vector<Cursor> enters_;
  uint32_t stamp_ = 0;
  bool impossible_ = false;
};

}  // namespace heddle::predict
