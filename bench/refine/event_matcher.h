// The peer of the bench: an event-based matcher in the manner of cmmtest, as section 3.6 describes it. It looks for a
// sequence of valid transformations (reordering, elimination, introduction of events) that turns the original trace
// into the other one, section by section, trying alternatives depth first; lock operations are barriers.
#pragma once

#include "refine/trace/trace.h"

namespace heddle::refine::bench {

enum class EventMatch { kMatches, kDiffers, kGaveUp };

// Gives up after `max_steps` comparisons of two events.
EventMatch MatchEvents(const Trace& original, const Trace& transformed, uint64_t max_steps);

}  // namespace heddle::refine::bench
