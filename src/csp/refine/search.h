// Breadth-first search of an implementation, together with the normal form of a specification.
//
// Breadth first means that the first violation found has a shortest path. Parents are kept as (parent, which
// successor), from which the path is replayed; keys are not kept twice.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "csp/lts/format.h"
#include "csp/peers.h"
#include "csp/refine/spec.h"
#include "csp/syntax/ast.h"

namespace heddle::csp {

struct Limits {
  uint64_t states = 0;  // 0: none
  uint64_t bytes = 0;   // of the state table and the parents; 0: none
  double seconds = 0;   // 0: none
  const std::atomic<bool>* cancel = nullptr;
  std::string disk;         // a folder for states that do not fit into memory; "": none
  uint64_t disk_after = 0;  // bytes in memory before the disk is used; 0: `bytes`
};

// What is looked for. Without a specification: deadlock and divergence.
struct Question {
  Value implementation = nullptr;
  Spec* spec = nullptr;           // null for the plain properties
  bool check_failures = false;    // stable states must be allowed by the specification
  bool revivals = false;          // and each event that a stable state offers must be, by such a state
  bool refusals = false;          // and the specification remembers what was refused on the way (refusal testing)
  bool check_divergence = false;  // no divergence, except where the specification diverges
  bool check_deadlock = false;    // no state without steps that has not terminated
  bool reduce = false;            // partial-order reduction; the path found may then not be shortest
  bool use_grades = true;         // graded.h; the tests compare with and without
  int jobs = 1;
  Peers* peers = nullptr;  // other processes that take part in the search; divides the states with them
};

enum class Violation : uint8_t { kNone, kTrace, kFailure, kDivergence, kDeadlock };

struct PathStep {
  EventId event;                                       // as seen from outside
  std::vector<std::pair<std::string, EventId>> parts;  // which components did what
};

struct SearchResult {
  bool complete = false;  // false: a limit stopped it
  std::string stopped_by;
  Violation violation = Violation::kNone;
  std::vector<PathStep> path;    // to the violating state; a kTrace violation's last step is the wrong event
  std::vector<EventId> offered;  // what the violating state offers
  uint32_t node = 0;             // of the specification, at the violation
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t bytes = 0;       // of the table, the parents and the frontier, at their largest
  uint64_t disk_bytes = 0;  // on disk, at their largest
  uint64_t depth = 0;
};

SearchResult Search(System& system, const Question& question, const Limits& limits);

}  // namespace heddle::csp
