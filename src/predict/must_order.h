// What all reorderings of a model keep (docs/predict.md): for a thread in a segment, how far every other thread is at
// least. Clocks are kept where they change only.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/model.h"

namespace heddle::predict {

class MustOrder {
 public:
  explicit MustOrder(const TraceModel& model);

  // How many operations `other` has performed at least when the thread is in the segment.
  uint32_t Before(Place segment, uint32_t other) const;

  // Whether the segment `a` has ended in every reordering that comes to `b`.
  bool Precedes(Place a, Place b) const { return Before(b, a.thread) > a.position; }
  bool Unordered(Place a, Place b) const { return !Precedes(a, b) && !Precedes(b, a); }

 private:
  struct Change {
    uint32_t position;  // from this segment on
    uint32_t clock;     // index into clocks_
  };

  std::vector<std::vector<Change>> changes_;  // by thread
  std::vector<std::vector<uint32_t>> clocks_;
};

}  // namespace heddle::predict
