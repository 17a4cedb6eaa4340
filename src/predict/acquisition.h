// Acquisition histories (Kahlon, Ivancic, Gupta 2005): which locks a thread has used since it took those that it holds.
// Two threads cannot stand at places when one holds l and has used m since, and the other holds m and has used l since:
// each would have to have taken its lock first.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/model.h"

namespace heddle::predict {

struct HeldSince {
  uint32_t lock = 0;
  bool shared = false;
  std::vector<std::pair<uint32_t, bool>> used;  // locks taken since, true: shared only; sorted
};

// What the thread holds at the place.
std::vector<HeldSince> HistoryAt(const TraceModel& model, Place place);

// Whether the histories say that no reordering has the two at once. False: they do not know.
bool HistoriesExclude(const std::vector<HeldSince>& a, const std::vector<HeldSince>& b);

// The same for any two of a target.
bool HistoriesExclude(const TraceModel& model, const Target& target);

}  // namespace heddle::predict
