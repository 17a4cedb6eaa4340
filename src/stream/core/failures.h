// Which streams can carry errors: the others need no error checks, and where their values are scalars no reference
// counts either.
#pragma once

#include <vector>

#include "stream/core/core.h"

namespace heddle::stream {

// By node: whether some event of it may be an error or hold one inside. The least solution over the graph, which may be
// cyclic; errors begin only where an operation can fail.
std::vector<bool> MayFail(const Graph& graph);

}  // namespace heddle::stream
