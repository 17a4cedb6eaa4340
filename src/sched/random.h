// The one source of chance in scheduling: a small generator whose sequence its seed alone decides, on every machine.
// Freestanding: the runtime in the target includes this file.
#pragma once

#include <cstdint>

namespace heddle::sched {

// SplitMix64: every seed is good, and two seeds that differ in one bit give unrelated sequences.
class Random {
 public:
  explicit Random(uint64_t seed = 0) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

  // A number in [0, bound); bound > 0. The bias is below bound / 2^64.
  uint64_t Below(uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>(Next()) * bound) >> 64U);
  }

 private:
  uint64_t state_;
};

}  // namespace heddle::sched
