// Deep scripts need a deep C++ stack. Shared by all of src/csp.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle::csp {

// The C++ stack that evaluation may use; RunOnLargeStack (csp.h) provides it.
inline constexpr size_t kStackBytes = size_t{512} << 20U;

// How much of it may be full before a script is told that its recursion does not end. ThreadSanitizer has room for
// 65,536 calls of a thread, and writes over its own memory when there are more.
#if defined(__SANITIZE_THREAD__)
#define HEDDLE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_THREAD_SANITIZER 1
#endif
#endif
#ifdef HEDDLE_THREAD_SANITIZER
inline constexpr size_t kUsableStack = size_t{8} << 20U;
#else
inline constexpr size_t kUsableStack = kStackBytes - (size_t{32} << 20U);
#endif

// Call it before an exception is thrown. The address sanitizer cleans up the frames that an exception leaves behind,
// but not on a stack as large as ours, and later takes their remains for errors. Does nothing in other builds.
void AboutToThrow();

}  // namespace heddle::csp
