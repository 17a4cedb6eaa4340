// An access of a trace as reports and the engines see it, and two of them that race.
#pragma once

#include <cstdint>

namespace heddle::predict {

struct AccessPoint {
  uint32_t thread = 0;
  bool write = false;
  bool atomic = false;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t pc = 0;
  uint32_t stack = 0;
  uint32_t lockset = 0;
};

struct HeapBlock {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;
  uint64_t pc = 0;
  uint32_t segment = 0;  // of the allocation
  bool zeroed = false;
};

struct RacePair {
  AccessPoint first;  // earlier in the trace
  AccessPoint second;
  uint64_t count = 0;  // words and times this pair of instructions was seen racing
  HeapBlock block;     // that was accessed; bytes 0: none
};

}  // namespace heddle::predict
