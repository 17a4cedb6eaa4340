// The two orders of order.h computed the slow way, for tests: explicit edges between events and their closure.
#pragma once

#include <bitset>
#include <vector>

#include "trace/event.h"

namespace heddle::predict {

inline constexpr size_t kMaxNaiveEvents = 256;
using Reach = std::vector<std::bitset<kMaxNaiveEvents>>;  // [later][earlier]

// `with_locks` gives the order of the run, else the must-order.
Reach NaiveOrder(const std::vector<trace::Event>& events, bool with_locks);

}  // namespace heddle::predict
