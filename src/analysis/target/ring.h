// What a recording with a ring leaves in its folder (docs/checkpoints.md), joined.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sched/checkpoints.h"

namespace heddle::analysis {

// A segment that is there, and all behind it are.
struct RingSegment {
  uint64_t number = 0;
  std::string steps;  // paths
  std::string calls;
  std::string image;  // empty: none, or not finished
};

// Waits until no image is being written. The segments from the first on at which a replay can start: the beginning of
// the program, or an image.
std::vector<RingSegment> RingSegments(const std::string& folder);

struct Ring {
  uint64_t first = 0;  // steps of the run before the first that is kept
  std::string calls;   // of all segments (wire/demo_format.h)
  std::vector<sched::Checkpoint> checkpoints;
  std::vector<std::string> images;  // of these
};
Result<Ring> JoinRing(const std::string& folder);

// Removes the files of all segments.
void RemoveRing(const std::string& folder);

}  // namespace heddle::analysis
