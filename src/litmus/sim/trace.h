// The ways through one thread: every path with every choice of values for its reads, taken from the values that the
// locations can have at all. Which of these choices fit together is decided later (sim/simulate.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

struct Event {
  int thread = -1;  // -1: initial write
  int instr = -1;   // of the thread's code
  int cell = -1;    // -1: fence
  bool reads = false;
  bool writes = false;
  int64_t read_value = 0;
  int64_t written_value = 0;
  int barrier_use = -1;  // -1: no barrier; how often the thread used this barrier before
  int64_t barrier = 0;
  int64_t barrier_instance = 0;  // PTX: a second number
  int64_t barrier_threads = 0;   // how many arrivals it needs, 0: of all that use it
  int access = -1;               // first event of the access that it is part of: nothing comes between its parts
  int instance = -1;             // first event of the instruction
  TagSet tags;
};

struct Trace {
  std::vector<Event> events;
  // Pairs of events of this trace.
  using Pairs = std::vector<std::pair<int, int>>;
  Pairs addr;
  Pairs data;
  Pairs ctrl;
  Pairs rmw;
  Pairs amo;
  // AArch64: dependencies that may also go over what was selected (sim/flow.h).
  Pairs pick;
  Pairs pick_addr;
  Pairs pick_ctrl;
  std::vector<int64_t> registers;  // final values
  bool faulted = false;            // it accessed something that is not a location, and ended there
};

struct TraceLimits {
  int unroll = 3;          // how often a thread may come back to the same instruction
  size_t traces = 200000;  // for each thread
  size_t events = 400;     // of a trace
};

struct TraceSet {
  std::vector<std::vector<Trace>> threads;
  bool loops_cut = false;  // some path was given up after `unroll` rounds
};

// `parts`: accesses of different sizes to one location divide its cell, and `test` is changed so (sim/parts.h). Without
// it they are kUnsupported. kLimit when there are too many ways.
Result<TraceSet> EnumerateTraces(Test& test, const TraceLimits& limits, bool parts);

}  // namespace heddle::litmus
