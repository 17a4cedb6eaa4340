// Depth-first search over the cuts of a model (docs/predict.md), exact within its limit: for a cut at which given
// threads stand at given positions, or for one at which everybody is stuck.
//
// Two reductions keep it small. Operations that nothing is gained from postponing are performed at once. Locks whose
// sections hold nothing that could wait or that others could be affected by are not watched: their sections run through
// in one go, so they never overlap. Both keep the reachability of targets outside such sections, and of stuck cuts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "predict/cut_machine.h"
#include "predict/model.h"

namespace heddle::predict {

enum class Verdict { kFound, kAbsent, kLimit };

struct SearchResult {
  Verdict verdict = Verdict::kAbsent;
  Witness witness;  // found
  uint64_t states = 0;
  uint64_t bytes = 0;  // of the memory of visited cuts
};

struct SearchLimits {
  uint64_t states = 1'000'000;
  Deadline deadline{};  // with the answer kLimit
};

// A reordering that reaches the target.
SearchResult SearchTarget(const TraceModel& model, const Target& target, const Constraints& constraints,
                          SearchLimits limits);

// A reordering after which no thread can go on and some thread has not ended.
SearchResult SearchStuck(const TraceModel& model, const Constraints& constraints, SearchLimits limits);

// For SearchTarget: how far each thread has to be looked at.
Cut BoundsOf(const TraceModel& model, const Target& target, const Constraints& constraints);

}  // namespace heddle::predict
