// Systems of leaves. A *format* is the shape of a process (a tree of parallel, hiding, renaming and sequencing
// operators) with its sequential leaves as machines; a state is a format and one state number for each leaf.
//
// Priority is part of a format where only hiding and renaming stand above it: the rules have ranks, and a state makes
// the steps of the best rank that it can. Elsewhere it looks at every step of its process (Stepper::LiveStates).
//
// The operators of a format are compiled once into *rules* (supercombinators): "when leaf 3 does lock.1.0 and leaf 5
// does lock.1.0, the whole does tau". A step that moves leaves is an addition on the packed state. A step that changes
// the shape (the end of the left side of `;`, an interrupt, a leaf that starts a parallel system) goes the long way
// round: the term is put together, stepped, and taken apart again, which finds its format by its shape.
//
// When a leaf is too large to explore in advance, or exploring it fails, the whole process is one *lazy* leaf whose
// states are numbered as they are met.
#pragma once

#include <atomic>
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
  uint32_t rank = 0;  // under priority: 1 is the most urgent, 0 is neither beaten nor beats
};

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
  bool grows = false;        // one of its leaves does
  bool prioritised = false;  // of the rules with a rank only the most urgent that are possible happen
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
  struct Hash {
    size_t operator()(const State& s) const;
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
  // The rules whose parts can all move, in the order of their numbers; under priority only the most urgent.
  std::vector<uint32_t> PossibleRules(const Format& format, const State& state) const;
  // Calls move(targets, boundary) for every combination of moves of the rule's parts.
  template <typename Move>
  void ForEachMove(const Format& format, const State& state, const Rule& rule, const Move& move) const;

  // The same states as terms, numbered as they are met; see Stepper::LiveStates.
  Value LiveState(const State& state);
  void LiveStep(uint32_t number, std::vector<Transition>& out);

  // States of the lazy leaf.
  Value LazyTerm(uint32_t number) const { return lazy_terms_[number]; }
  uint32_t LazyNumber(Value term);

  // What leaves that grow have taken, about.
  void AddGrownBytes(size_t bytes) { grown_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  size_t grown_bytes() const { return grown_bytes_.load(std::memory_order_relaxed); }

  Stepper& stepper() { return stepper_; }
  Evaluator& evaluator() { return evaluator_; }

  // Never uses machines: every process is a lazy leaf. The tests compare this with the normal way.
  void set_always_lazy(bool lazy) { always_lazy_ = lazy; }
  // What is chased is never explored in advance, even when it is small.
  void set_always_grow(bool grow) { always_grow_ = grow; }

 private:
  bool TakeApart(Value term, bool top, Format& format, std::vector<uint32_t>& states, std::vector<uintptr_t>& key);
  Value PutTogether(const Format& format, uint32_t shape, const std::vector<uint32_t>& leaves,
                    const std::vector<Change>& changes);
  State Lazy(Value term);
  bool TakeGrowing(Value term, Format& format, std::vector<uint32_t>& states, std::vector<uintptr_t>& key);
  bool GrowsAlready(Value term) const;
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
  std::map<uint32_t, std::unique_ptr<Growing>> growing_;  // by format
  std::atomic<size_t> grown_bytes_ = 0;
  int64_t lazy_format_ = -1;
  bool always_lazy_ = false;
  bool always_grow_ = false;
};

template <typename Move>
void System::ForEachMove(const Format& format, const State& state, const Rule& rule, const Move& move) const {
  std::vector<std::vector<uint32_t>> choices(rule.parts.size());
  bool boundary = false;
  for (size_t i = 0; i < rule.parts.size(); ++i) {
    const Machine& machine = *format.leaves[rule.parts[i].leaf].machine;
    machine.Targets(state.leaves[rule.parts[i].leaf], rule.parts[i].event, choices[i]);
    for (uint32_t t : choices[i]) boundary |= machine.has_boundary && machine.boundary[t];
  }
  std::vector<size_t> at(choices.size(), 0);
  std::vector<uint32_t> targets(choices.size());
  while (true) {
    for (size_t i = 0; i < choices.size(); ++i) targets[i] = choices[i][at[i]];
    move(targets, boundary);
    size_t i = 0;
    while (i < at.size() && ++at[i] == choices[i].size()) at[i++] = 0;
    if (i == at.size()) break;
  }
}

// Where the processes among the operands of a term are.
std::vector<uint32_t> ProcessKids(Value term);

// Compiles the rules of a format whose shapes and leaves are set. False when there would be too many.
bool CompileRules(System& system, Format& format);

}  // namespace heddle::csp
