// Which operations of a witness are ordered by more than their threads, for the arrows of a drawing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "predict/model.h"

namespace heddle::predict {

struct PlaceOrder {
  uint32_t from = 0;  // places in what was given, from 0
  uint32_t to = 0;
  std::string why;  // "unlock before lock"

  bool operator==(const PlaceOrder&) const = default;
};

// `places`: operations of the witness in its order; some may be left out, the orders are true all the same.
std::vector<PlaceOrder> WitnessOrder(const TraceModel& model, std::span<const Place> places);

// Which operation of the recorded run this is, from 1; `segment`: of an access, that of its thread before it. 0: there
// is none.
uint32_t RecordedAt(const TraceModel& model, Place place, bool segment);

}  // namespace heddle::predict
