// All cycles of a list of edges up to a size, each once, and the tests that they stand for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "litmus/gen/edge.h"

namespace heddle::litmus {

struct CycleEvent {
  char kind = 'W';  // R or W
  int thread = 0;
  int location = 0;
  int value = 0;          // written, or expected by the condition
  bool observed = false;  // a read whose value the condition names
  std::string order;      // annotation, empty: plain
  char cache = 0;         // GPU_PTX: '1' or '2', the level of its cache operator; 0: not said
  char space = 0;         // GPU_PTX: 'g' or 's'; 0: not said
};

// A test before it is written in a language: events[i] and events[i + 1] are related by edges[i]; the last edge closes
// it.
struct Cycle {
  std::vector<Edge> edges;
  std::vector<CycleEvent> events;
  int threads = 0;
  int locations = 0;
  std::vector<int> final_values;  // of locations that are written more than once, else -1
  std::string name;               // SB, MP+dmb.sy+addr
};

struct CycleLimits {
  int size = 4;  // edges
  int threads = 6;
  uint64_t limit = 0;  // tests, 0: all
};

// The cycle of exactly these edges in this order; nothing when their directions do not fit.
std::optional<Cycle> CycleOf(const std::vector<Edge>& edges);

// Calls `take` for each cycle, shorter ones first, until it returns false. Cycles that differ in where they begin, or
// in the names of threads and locations, are one.
void EnumerateCycles(const std::vector<Edge>& edges, const CycleLimits& limits,
                     const std::function<bool(Cycle&)>& take);

}  // namespace heddle::litmus
