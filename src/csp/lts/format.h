// Systems of leaves. A *format* is the shape of a process (a tree of parallel, hiding, renaming and sequencing
// operators) with its sequential leaves as machines; a state is a format and one state number for each leaf.
//
// The operators of a format are compiled once into *rules* (supercombinators): "when leaf 3 does lock.1.0 and leaf 5
// does lock.1.0, the whole does tau". A step that moves leaves is an addition on the packed state. A step that changes
// the shape (the end of the left side of `;`, an interrupt, a leaf that starts a parallel system) goes the long way
// round: the term is put together, stepped, and taken apart again, which finds its format by its shape.
//
// When a leaf is too large to explore in advance, or exploring it fails, the whole process is one *lazy* leaf whose
// states are numbered as they are met.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "csp/lts/machine.h"

namespace heddle::csp {

struct Change {
  uint32_t node = 0;
  Value term = nullptr;  // what takes the node's place; null: its child number `child`
  uint32_t child = 0;
};

struct Rule {
  struct Part {
    uint32_t leaf;
    EventId event;  // kOmegaEvent: the leaf has terminated, and stays so
  };
  std::vector<Part> parts;  // the first leads: its moves are tried first
  EventId event = kTau;
  std::vector<Change> changes;
};

inline constexpr EventId kOmegaEvent = ~0u;

struct Format {
  struct Shape {
    Value term = nullptr;        // the operator and its sets; processes are taken from `kids`
    std::vector<uint32_t> kids;  // shapes
    int leaf = -1;
  };
  struct Leaf {
    const Machine* machine = nullptr;  // null: lazy
    uint32_t machine_id = 0;
    std::string name;
  };
  uint32_t id = 0;
  std::vector<Shape> shapes;  // 0 is the root
  std::vector<Leaf> leaves;
  std::vector<Rule> rules;
  std::vector<uint32_t> free_rules;  // without parts: always possible
  // For each leaf, the rules that it leads, by its event.
  std::vector<std::unordered_map<EventId, std::vector<uint32_t>>> led;
  bool lazy = false;
};

class System {
 public:
  explicit System(Evaluator& evaluator);
  ~System();

  struct State {
    uint32_t format = 0;
    std::vector<uint32_t> leaves;
    bool operator==(const State&) const = default;
  };
  State Take(Value term);         // forced
  Value Put(const State& state);  // the term of a state
  const Format& format(uint32_t id) const { return *formats_[id]; }
  size_t format_count() const { return formats_.size(); }

  // The state after `rule`, when its parts move to `targets` (in the order of the parts).
  State Apply(const State& state, const Rule& rule, const std::vector<uint32_t>& targets);

  // Everything a state can do, in the order of the explorer: for specifications, graphs and stepping.
  struct Step {
    EventId event;
    State next;
    std::vector<std::pair<uint32_t, EventId>> parts;  // leaf and what it did
  };
  std::vector<Step> Successors(const State& state);

  // The same states as terms, numbered as they are met; see Stepper::LiveStates.
  Value LiveState(const State& state);
  void LiveStep(uint32_t number, std::vector<Transition>& out);

  // States of the lazy leaf.
  Value LazyTerm(uint32_t number) const { return lazy_terms_[number]; }
  uint32_t LazyNumber(Value term);

  Stepper& stepper() { return stepper_; }
  Evaluator& evaluator() { return evaluator_; }

  // Never uses machines: every process is a lazy leaf. The tests compare this with the normal way.
  void set_always_lazy(bool lazy) { always_lazy_ = lazy; }

 private:
  std::vector<uint32_t> PossibleRules(const Format& format, const State& state) const;
  bool TakeApart(Value term, Format& format, std::vector<uint32_t>& states, std::vector<uintptr_t>& key);
  Value PutTogether(const Format& format, uint32_t shape, const std::vector<uint32_t>& leaves,
                    const std::vector<Change>& changes);
  State Lazy(Value term);
  struct Hash {
    size_t operator()(const State& s) const;
  };
  // Every state of a process as an explicit system; false when there are more than `limit`.
  bool ExploreAll(Value root, size_t limit, ExplicitLts& lts);

  Evaluator& evaluator_;
  Stepper stepper_;
  MachineTable machines_;
  std::vector<std::unique_ptr<Format>> formats_;
  std::map<std::vector<uintptr_t>, uint32_t> by_key_;
  std::deque<Value> lazy_terms_;
  std::unordered_map<Value, uint32_t> lazy_numbers_;
  std::deque<State> live_states_;
  std::unordered_map<State, uint32_t, Hash> live_numbers_;
  int64_t lazy_format_ = -1;
  bool always_lazy_ = false;
};

// Where the processes among the operands of a term are.
std::vector<uint32_t> ProcessKids(Value term);

// Compiles the rules of a format whose shapes and leaves are set. False when there would be too many.
bool CompileRules(System& system, Format& format);

}  // namespace heddle::csp
