// Enumerates coherence orders, location by location, into an execution.
#pragma once

#include <functional>
#include <vector>

#include "litmus/sim/execution.h"

namespace heddle::litmus {

class CoherenceOrders {
 public:
  // Reads-from is chosen. `coherent`: only orders that agree with program order. `partial`: all partial orders instead
  // of all total ones. The initial write is always first.
  void Begin(Execution& execution, bool coherent, bool partial);
  bool impossible() const { return impossible_; }  // no order at all agrees
  size_t locations() const { return locations_.size(); }
  // Puts each order of this location into the execution's co and calls `next`, until it returns false.
  void ForEach(size_t location, const std::function<bool()>& next);

 private:
  struct Location {
    int init = -1;
    std::vector<int> writes;                // without the initial one
    std::vector<std::vector<bool>> before;  // before[i][j]: writes[i] must come before writes[j]
    std::vector<int> source;  // for the write of a read-modify-write: index of what it read, -1 init, -2 none
  };

  void Force(Location& location);
  bool Extend(Location& location, std::vector<int>& order, std::vector<bool>& used, const std::function<bool()>& next);
  bool Partial(Location& location, size_t pair, const std::function<bool()>& next);
  bool Atomic(const Location& location, const std::vector<int>& order, int next) const;
  void Clear(const Location& location);

  Execution* execution_ = nullptr;
  bool coherent_ = false;
  bool partial_ = false;
  bool impossible_ = false;
  std::vector<Location> locations_;
};

}  // namespace heddle::litmus
