// The order in which locks are taken: each time a thread takes one while it holds others, an edge from each of those,
// written once for each thread, pair of locks, set held and stretch of happens-before that no lock causes. `heddle
// detect` looks for cycles in them afterwards (src/detect/lock_order.h).
#pragma once

#include "runtime/detect/state.h"

namespace heddle::rt::detect {

void NoteLockEdges(DetectThread* self, const HeldLock& taken);

}  // namespace heddle::rt::detect
