// Which final states does a model allow for a test?
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "litmus/model/cat_program.h"
#include "litmus/sim/execution.h"
#include "litmus/sim/trace.h"

namespace heddle::litmus {

struct SimOptions {
  TraceLimits limits;
  double seconds = 10;     // for one test; 0: no limit
  bool witnesses = false;  // keep one execution for each state
  // From how many combinations on the search takes traces together, and from how many left on it asks the model between
  // two reads: both cost more than they spare in small tests.
  double together_from = 1000;
  double ask_from = 32;
};

// An execution that is kept: enough to draw it.
struct Witness {
  std::vector<Event> events;  // initial writes first
  std::vector<std::pair<int, int>> rf;
  std::vector<std::pair<int, int>> co;  // immediate pairs
  std::vector<std::pair<int, int>> addr, data, ctrl, rmw;
};

struct SimState {
  std::vector<int64_t> values;  // of Test::observed
  uint64_t executions = 0;
  bool holds = false;  // the condition
  std::shared_ptr<Witness> witness;
};

// The nearest execution that the model forbids, for a condition that never holds.
struct Forbidden {
  Witness witness;
  std::string check;
  std::vector<int> cycle;
};

struct SimResult {
  std::vector<SimState> states;  // sorted by values
  uint64_t positive = 0;         // executions in which the condition holds
  uint64_t negative = 0;
  uint64_t candidates = 0;  // executions that were looked at
  std::set<std::string> flags;
  std::set<std::string> undefined;  // broken undefined_unless checks, and flags of data races
  std::string undecided;            // why the answer is not complete; empty: it is
  std::shared_ptr<Forbidden> forbidden;
  std::shared_ptr<const Test> divided;  // the test that the witnesses speak of, when its locations were divided
  bool ok = false;                      // the quantified condition holds
};

// Errors: kBadInput for a wrong model, kLimit when the test is too large to begin with.
Result<SimResult> Simulate(const Test& test, const SourceMap& sources, const CatProgram& program,
                           const SimOptions& options);

}  // namespace heddle::litmus
