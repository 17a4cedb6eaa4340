// The operational semantics: what a process term can do next.
//
// These are the rules of the language, one operator at a time, on whole terms. The engine uses them for the sequential
// parts of a system (its leaves) and for the rare steps that change its shape; format.h does the rest. They are also
// the reference that the tests compare the engine with.
//
// tau never resolves a choice; tick ends a process, after which it is Omega. In a parallel composition the tick of a
// part becomes a tau that leaves Omega in its place, and the whole ticks when all parts are Omega.
#pragma once

#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "csp/eval/evaluator.h"

namespace heddle::csp {

// A transition system with numbered states, as the quotient of a compression.
struct ExplicitLts {
  struct Edge {
    EventId event;
    uint32_t target;
  };
  std::vector<std::vector<Edge>> states;
};

class Stepper {
 public:
  explicit Stepper(Evaluator& evaluator) : evaluator_(evaluator) {}

  // In a fixed order, without repetitions; kept for the life of the stepper.
  const std::vector<Transition>& Step(Value term);

  // The smallest number of states that a transparent function may explore before it gives up and leaves its process
  // as it is.
  static constexpr size_t kCompressLimit = 500'000;

  Evaluator& evaluator() { return evaluator_; }
  // The first state of a term that is computed as a whole (a compression, a watchdog); other terms are as they are. A
  // process that is too large to compress stays as it is.
  Value Settled(Value term);

  Value With(Value term, size_t kid, Value replacement);
  bool CanTick(Value term);
  Value Omega();

  // How a process with parallel parts is explored; false when it has more than `limit` states. Without one, as terms.
  using Explorer = std::function<bool(Value root, size_t limit, ExplicitLts& lts)>;
  void set_explorer(Explorer explorer) { explorer_ = std::move(explorer); }

  // States of parallel systems as terms (kLive), for operators that look at every step of their process and would
  // otherwise step whole terms. `begin` gives null for a process that is no system of leaves.
  struct LiveStates {
    std::function<Value(Value root)> begin;
    std::function<void(uint32_t state, std::vector<Transition>& out)> step;
  };
  void set_live_states(LiveStates live) { live_ = std::move(live); }

  // Only compressions that are right in every model, for scripts that use V, VD, R or RD.
  void set_all_models(bool on) { all_models_ = on; }

 private:
  void Compute(Value term, std::vector<Transition>& out);
  Value Live(Value process);
  void Prefix(Value term, std::vector<Transition>& out);
  void EventChoice(Value term, std::vector<Transition>& out);
  void Ext(Value term, std::vector<Transition>& out);
  void Interrupt(Value term, std::vector<Transition>& out);
  void Sequence(Value term, std::vector<Transition>& out);
  void Exception(Value term, std::vector<Transition>& out);
  void Parallel(Value term, std::vector<Transition>& out);
  void Alphabet(Value term, std::vector<Transition>& out);
  void Link(Value term, std::vector<Transition>& out);
  void Hide(Value term, std::vector<Transition>& out);
  void Rename(Value term, std::vector<Transition>& out);
  void SyncExt(Value term, std::vector<Transition>& out);
  void SyncInterrupt(Value term, std::vector<Transition>& out);
  void Chase(Value term, std::vector<Transition>& out);
  void Priority(Value term, std::vector<Transition>& out);
  void Order(Value term, std::vector<Transition>& out);
  void Deter(Value term, std::vector<Transition>& out);
  void Buffer(Value term, std::vector<Transition>& out);
  void Wait(Value term, std::vector<Transition>& out);
  Value Compressed(Value term);
  ExplicitLts ExploreAll(Value root, bool& complete);
  Value Watchdog(Value term);
  Value ExplicitState(const ExplicitLts& lts);
  Value ChaseTaus(Value term);
  void Synchronise(Value term, size_t first, size_t stride, const std::vector<size_t>& parties, EventId event,
                   size_t at, std::vector<Value>& kids, std::vector<Transition>& out);
  void Tick(std::vector<Transition>& out) { out.push_back({kTick, Omega()}); }
  Value Proc(ProcOp op, std::span<const Value> kids) {
    return evaluator_.store().Make(Kind::kProcess, static_cast<int64_t>(op), nullptr, kids);
  }

  Evaluator& evaluator_;
  std::deque<std::vector<Transition>> kept_;
  std::deque<ExplicitLts> explicit_;
  std::unordered_map<Value, Value> settled_;  // kCompress and kWatchdog terms that have been computed
  Explorer explorer_;
  LiveStates live_;
  std::unordered_map<Value, Value> live_roots_;
  bool all_models_ = false;
};

}  // namespace heddle::csp
