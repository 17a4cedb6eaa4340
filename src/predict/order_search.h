// Whether some reordering has given segments of different threads one behind the other: the first of two as a whole
// before the second begins. What atomicity violations and wrong orders of use come down to (docs/predict.md).
#pragma once

#include <vector>

#include "predict/cut_search.h"
#include "predict/model.h"

namespace heddle::predict {

// A part of a thread: the accesses of a segment (from operation position-1 to operation `position`), or an atomic
// operation alone.
struct Part {
  Place place;  // the segment, or the operation
  bool operation = false;

  // The operation that begins it and the one after which it is over.
  uint32_t First() const { return operation ? place.position : place.position - 1; }
  uint32_t Last() const { return place.position; }
  bool operator==(const Part&) const = default;
};

// Each part after the one before it; the last one has begun. A part that nothing begins (segment 0) is in no such
// order. Neighbours are of different threads.
SearchResult SearchOrder(const TraceModel& model, const std::vector<Part>& parts, const Constraints& constraints,
                         SearchLimits limits);

// Whether a run has the parts in this order.
bool RunHasOrder(const TraceModel& model, const std::vector<Part>& parts);

}  // namespace heddle::predict
