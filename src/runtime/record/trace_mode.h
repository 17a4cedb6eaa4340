// Inside trace mode: what its two halves (plain accesses, visible operations) share.
#pragma once

#include <cstdint>

#include "runtime/threads/thread.h"

namespace heddle::rt {

// Where cache keys hold the segment's number; it wraps, and then the cache is emptied.
inline constexpr uint64_t kSegmentUnit = uint64_t{1} << 52U;

// Writes a Stack record (and Frame records for new calls) if the innermost call changed since the last one.
void RecordStack(Recorder* recorder, Thread* thread);

// Creates the trace file and describes the process in it. False when that failed; the mode is then off.
bool StartTrace(const char* path);

}  // namespace heddle::rt
