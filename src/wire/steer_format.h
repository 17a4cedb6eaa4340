// The file between heddle and a target whose threads are led into a cycle of waits (steer.h) or to two accesses
// (steer_race.h): code addresses of the places, of one machine and one moment. A header, then ranges, sorted by place
// and frame. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::wire {

inline constexpr uint32_t kMaxSteerEdges = 32;

// A thread of edge i acquires at place 2i and waits at place 2i + 1.
inline constexpr uint32_t HeldPlace(uint32_t edge) { return 2 * edge; }
inline constexpr uint32_t WaitPlace(uint32_t edge) { return 2 * edge + 1; }

inline constexpr char kSteerMagic[8] = {'H', 'D', 'L', 'S', 'T', 'E', 'R', '2'};

enum class SteerGoal : uint32_t {
  kCycle,  // threads that wait for each other
  kRace,   // two threads before the same memory: edges 0 and 1, which need no acquisition
};

struct SteerHeader {
  char magic[8];
  uint32_t edges;
  uint32_t from_start;  // a bit for each edge: it needs no acquisition
  uint32_t chance;      // of a thread in position to be held, in percent
  uint32_t ranges;
  uint64_t patience;  // steps of others after which a hold ends
  SteerGoal goal;
  uint32_t unused;
};
static_assert(sizeof(SteerHeader) == 40);

// Code of one line of a place. A place has frames 0, 1, ..., innermost first.
struct SteerRange {
  uint64_t begin;
  uint64_t end;
  uint32_t place;
  uint32_t frame;
};
static_assert(sizeof(SteerRange) == 24);

// The innermost line is among so many calls, counted from the operation: locking functions of libraries and wrappers
// lie between.
inline constexpr uint32_t kSteerDepth = 4;

// The places of a stack of return addresses, innermost first, as a set of bits: those whose frames it goes through in
// order. Several frames may be at one address: functions that were inlined.
inline uint64_t PlacesOf(const uint64_t* stack, uint32_t depth, const SteerRange* ranges, uint32_t count) {
  uint64_t found = 0;
  uint32_t i = 0;
  while (i < count) {
    uint32_t place = ranges[i].place;
    uint32_t at = 0;
    bool matches = true;
    while (i < count && ranges[i].place == place) {
      uint32_t first = i;
      uint32_t frame = ranges[i].frame;
      while (i < count && ranges[i].place == place && ranges[i].frame == frame) ++i;
      uint32_t limit = frame == 0 && depth > kSteerDepth ? kSteerDepth : depth;
      bool here = false;
      for (; matches && at < limit && !here; at += here ? 0 : 1) {
        for (uint32_t r = first; r < i; ++r) {
          here = here || (stack[at] - 1 >= ranges[r].begin && stack[at] - 1 < ranges[r].end);
        }
      }
      matches = matches && here;
    }
    if (matches) found |= uint64_t{1} << place;
  }
  return found;
}

}  // namespace heddle::wire
