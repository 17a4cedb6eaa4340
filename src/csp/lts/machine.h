// A leaf of a system: the explicit transition system of one sequential process, explored in full before the search.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "csp/lts/step.h"

namespace heddle::csp {

// Whether the term has a parallel operator that the engine can take apart: the term itself, or what stands first in it.
bool HasParallel(Value term);

// Whether the term is a priority over such a system, with nothing but hiding and renaming above.
bool HasPriority(Value term);

class Growing;

struct Machine {
  struct Edge {
    EventId event;
    uint32_t target;
  };
  std::vector<Value> terms;  // by state number; state 0 is where exploration began
  std::unordered_map<Value, uint32_t> number;
  std::vector<uint32_t> first;  // edges of state s are edges[first[s] .. first[s+1])
  std::vector<Edge> edges;      // sorted by event within a state
  std::vector<bool> boundary;   // states that are systems themselves: entering one changes the format
  bool has_boundary = false;
  int64_t omega = -1;  // the terminated state, when there is one
  bool acyclic = false;
  std::vector<EventId> alphabet;  // every event on an edge, sorted

  Growing* growing = nullptr;  // its states are met as they are needed, and the tables above are empty

  size_t size() const { return terms.size(); }
  // The states that a state goes to with an event; kOmegaEvent leads from the terminated state to itself.
  void Targets(uint32_t state, EventId event, std::vector<uint32_t>& out) const;
};

inline constexpr EventId kOmegaEvent = ~0u;

// Whether the term is chased, with nothing but hiding and renaming above. What is chased is met a little at a time:
// alone, without what it is composed with, it may have any number of states.
bool IsChased(Value term);

// Machines by the terms they contain. A term that an existing machine contains shares that machine.
class MachineTable {
 public:
  explicit MachineTable(Stepper& stepper) : stepper_(stepper) {}

  static constexpr size_t kMaxStates = 400'000;
  // A leaf that goes on to start a parallel system is still explored as one machine when it is smaller than this.
  static constexpr size_t kSmall = 2'000;

  struct Place {
    const Machine* machine = nullptr;  // null: too large, or exploring it fails
    uint32_t id = 0;
    uint32_t state = 0;
  };
  Place Find(Value term);

 private:
  std::unique_ptr<Machine> Explore(Value root, size_t limit, bool stop_at_parallel);
  void Finish(Machine& machine);

  Stepper& stepper_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::unordered_map<Value, std::pair<uint32_t, uint32_t>> places_;
  std::unordered_set<Value> without_;  // terms that have no machine
};

}  // namespace heddle::csp
