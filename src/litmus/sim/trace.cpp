#include "litmus/sim/trace.h"

#include "litmus/sim/guesses.h"
#include "litmus/sim/runner.h"

// The values that a read can have are found by iteration: at first only the initial ones, then also what the threads
// write when they read those, and so on. A chain of values passes at most through all reads of the test, so as many
// rounds are enough. With each value go the sets of reads that the ways to compute it pass through; a read that is in
// all of them is not given the value. Values that justify only themselves are not found in this way; those that
// unreached code writes and those that the condition asks for are then tried as well, and the model decides whether
// they may come out of thin air.
namespace heddle::litmus {
namespace {

// How many reads a value can pass through: each at most once, or once in each round of a loop.
size_t LongestChain(const Test& test, const TraceLimits& limits) {
  size_t chain = 0;
  for (const Thread& thread : test.threads) {
    std::vector<bool> loop = InLoop(thread);
    for (size_t i = 0; i < thread.code.size(); ++i) {
      if (IsRead(thread.code[i])) chain += loop[i] ? static_cast<size_t>(limits.unroll + 1) : 1;
    }
  }
  return chain;
}

// All ways through the threads with the values that are known; `values` grows by those that can be computed from them.
// Ends early when `boundary` says where a location must be divided.
Result<TraceSet> Explore(const Test& test, const TraceLimits& limits, bool parts, Values& values, Boundary& boundary) {
  size_t loads = LongestChain(test, limits);
  std::vector<int> widths(test.cells.size(), 0);
  for (size_t count = 0;; ++count) {
    TraceSet result;
    result.threads.resize(test.threads.size());
    Round round{test, values, limits, parts, 0, Values(test.cells.size()), {}, std::move(widths)};
    for (size_t i = 0; i < test.threads.size(); ++i) {
      if (Status status = Runner(round, static_cast<int>(i)).Run(result.threads[i], result.loops_cut); !status) {
        return status.error();
      }
      boundary = round.boundary;
      if (boundary.cell >= 0) return result;
    }
    widths = std::move(round.widths);
    if (!Grow(round.written, count < loads, values)) return result;
  }
}

Values InitialValues(const Test& test) {
  Values values(test.cells.size());
  for (const Cell& cell : test.cells) {
    if (cell.physical == &cell - test.cells.data()) values[static_cast<size_t>(cell.physical)][cell.init] = {Reads()};
  }
  return values;
}

}  // namespace

Result<TraceSet> EnumerateTraces(Test& test, const TraceLimits& limits, bool parts) {
  Values values = InitialValues(test);
  // Guessed code may reach more code; each round reaches some, so there are few. Each division leaves smaller cells.
  while (true) {
    Boundary boundary;
    Result<TraceSet> traces = Explore(test, limits, parts, values, boundary);
    if (!traces) return traces;
    if (boundary.cell >= 0) {
      Divide(test, boundary);
      values = InitialValues(test);
      continue;
    }
    if (!AddGuesses(test, *traces, values)) return traces;
  }
}

}  // namespace heddle::litmus
