// How properties call the operations of a run: the channels of share/csp/program.csp, and the program's own events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "predict/model.h"

namespace heddle::predict {

class EventNames {
 public:
  // Both must outlive this. `strings`: of the trace.
  EventNames(const TraceModel& model, const std::map<uint64_t, std::string>& strings);

  // "lock.1.0", "open.0.4711"; empty for an operation that properties do not see.
  std::string Of(Place place) const;

  size_t conditions() const { return conditions_.size(); }

 private:
  std::string OfCustom(Place place, const CustomEvent& event) const;

  const TraceModel& model_;
  const std::map<uint64_t, std::string>& strings_;
  std::map<Place, uint32_t> child_;                    // of forks
  std::unordered_map<uint64_t, uint32_t> conditions_;  // address to number
  std::unordered_map<uint32_t, uint32_t> custom_;      // order to index
};

}  // namespace heddle::predict
