// A model without the operations that no order depends on: what is left has the same reorderings, as far as the rest
// can tell. Properties are checked on it, since the number of cuts grows with every operation.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/cut_machine.h"
#include "predict/model.h"

namespace heddle::predict {

struct ModelSlice {
  TraceModel model;
  std::vector<std::vector<uint32_t>> original;  // by thread and position: the position in the whole model

  // The same order in the whole model; what was left out is performed right before what follows it in its thread.
  Witness Expand(const Witness& witness) const;
};

// Leaves out what has no needs (data only counts where `constraints` keeps it), is nobody's need, takes or lets go of
// nothing, and is neither an event of the program's own nor fork, begin, end or join. `lone_locks`: keeps the locks
// that only one thread uses.
ModelSlice Slice(const TraceModel& model, const Constraints& constraints, bool lone_locks);

}  // namespace heddle::predict
