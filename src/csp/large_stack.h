// Deep scripts need a deep C++ stack. Shared by all of src/csp.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle::csp {

// The C++ stack that evaluation may use; RunOnLargeStack (csp.h) provides it.
inline constexpr size_t kStackBytes = size_t{512} << 20U;

// Call it before an exception is thrown. The address sanitizer cleans up the frames that an exception leaves behind,
// but not on a stack as large as ours, and later takes their remains for errors. Does nothing in other builds.
void AboutToThrow();

}  // namespace heddle::csp
