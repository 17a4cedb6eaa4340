// What must happen in a run for a static finding to be met, and the plan for the target that leads there
// (docs/deadlock-confirm.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "findings/finding.h"
#include "symbolize/line_addresses.h"
#include "wire/steer_format.h"

namespace heddle::analysis {

// Lines of the source, innermost first: the first one does it, the others are where that was inlined.
using Place = std::vector<symbolize::SourceLine>;

struct PlannedPlace {
  Place lines;
  Place chain;  // the lines and all their callers
};

// A thread acquires at one place and then waits at the other.
struct PlannedEdge {
  bool from_start = false;  // nothing is to be acquired: others wait for its end, or for a lock of a thread that ended
  PlannedPlace held;
  PlannedPlace waits;
};

struct Plan {
  enum class Shape : uint8_t {
    kRing,  // a cycle in which every edge has one thread
    kAny,   // any cycle of threads at these edges
    kLeft,  // a thread waits for the lock of one that ended
    kRace,  // two edges without acquisition: their second places are the accesses
  };
  Shape shape = Shape::kRing;
  std::vector<PlannedEdge> edges;
};

Plan PlanOf(const findings::Finding& deadlock);
Plan RacePlanOf(const findings::Finding& race);

// All lines of the plan, for LineAddresses.
std::vector<symbolize::SourceLine> LinesOf(const Plan& plan);

// Whether every place that a thread must come to has code. `code` answers LinesOf(plan).
bool CanBeReached(const Plan& plan, const std::vector<std::vector<symbolize::Module::Range>>& code);

// The code of the line at which the edge's thread waits or accesses; `code` answers LinesOf(plan).
std::vector<symbolize::Module::Range> CodeOfEdge(const Plan& plan, size_t edge,
                                                 const std::vector<std::vector<symbolize::Module::Range>>& code);

struct SteerSettings {
  bool whole_chain = false;  // else the lines alone
  uint32_t chance = 100;
  uint64_t patience = 10'000;
};

// The bytes for the target (wire/steer_format.h).
std::string CompilePlan(const Plan& plan, const std::vector<std::vector<symbolize::Module::Range>>& code,
                        const SteerSettings& settings);

}  // namespace heddle::analysis
