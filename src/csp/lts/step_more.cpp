// Steps of what is built in beyond the operators of the language: chase, deter, partial-order priority, buffers, time,
// and processes that are computed as a whole before their first step (compressions, watchdogs).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "csp/large_stack.h"
#include "csp/lts/compress.h"
#include "csp/lts/machine.h"
#include "csp/lts/step.h"

namespace heddle::csp {
namespace {

constexpr size_t kPollWork = 64;  // what happens between two polls of a compression

}  // namespace

Value Stepper::Live(Value process) {
  process = Settled(process);
  if (!live_.begin || !HasParallel(process)) return process;
  auto [known, fresh] = live_roots_.try_emplace(process, nullptr);
  if (fresh) known->second = live_.begin(process);
  return known->second == nullptr ? process : known->second;
}

// Follows the first tau for as long as there is one; null when that never ends.
Value Stepper::ChaseTaus(Value term) {
  std::unordered_set<Value> seen;
  Value at = term;
  while (true) {
    const std::vector<Transition>& steps = Step(at);
    auto tau = std::find_if(steps.begin(), steps.end(), [](const Transition& t) { return t.event == kTau; });
    if (tau == steps.end()) return at;
    if (!seen.insert(at).second) return nullptr;
    at = tau->target;
  }
}

// A cycle of taus diverges.
void Stepper::Chase(Value term, std::vector<Transition>& out) {
  Value at = ChaseTaus(term->kid(0));
  if (at == nullptr) return out.push_back({kTau, term});
  for (const Transition& t : Step(at)) {
    out.push_back({t.event, t.event == kTick ? t.target : With(term, 0, t.target)});
  }
}

void Stepper::Deter(Value term, std::vector<Transition>& out) {
  Value at = ChaseTaus(term->kid(0));
  if (at == nullptr) return out.push_back({kTau, term});
  for (const Transition& t : Step(at)) {
    if (!out.empty() && out.back().event == t.event) continue;  // steps are in the order of events
    out.push_back({t.event, t.event == kTick ? t.target : With(term, 0, t.target)});
  }
}

// An event of A is left out when tau or tick is possible and it is not maximal, or when one above it is possible.
void Stepper::Order(Value term, std::vector<Transition>& out) {
  const std::vector<Transition>& steps = Step(term->kid(0));
  bool urgent = std::any_of(steps.begin(), steps.end(), [](const Transition& t) { return t.event < kFirstEvent; });
  auto beaten = [&](EventId event) {
    if (event < kFirstEvent || !evaluator_.SetHasEvent(term->kid(1), event)) return false;
    if (urgent && !evaluator_.SetHasEvent(term->kid(3), event)) return true;
    return std::any_of(steps.begin(), steps.end(), [&](const Transition& t) {
      if (t.event < kFirstEvent) return false;
      Value pair[2] = {evaluator_.EventValue(t.event), evaluator_.EventValue(event)};
      return t.event != event && evaluator_.Contains(term->kid(2), evaluator_.store().Tuple(pair));
    });
  };
  for (const Transition& t : steps) {
    if (beaten(t.event)) continue;
    out.push_back({t.event, t.event == kTick ? t.target : With(term, 0, t.target)});
  }
}

void Stepper::Buffer(Value term, std::vector<Transition>& out) {
  Evaluator& ev = evaluator_;
  Value waiting = term->kid(2);
  if (static_cast<int64_t>(waiting->count) < term->kid(0)->number) {
    for (Value pair : ev.Elements(term->kid(1), {})) {
      std::vector<Value> items(waiting->kids().begin(), waiting->kids().end());
      items.push_back(pair->kid(1));
      out.push_back({ev.EventOf(pair->kid(0), {}), With(term, 2, ev.store().Seq(items))});
    }
  }
  if (waiting->count > 0) {
    out.push_back({ev.EventOf(waiting->kid(0), {}), With(term, 2, ev.store().Seq(waiting->kids().subspan(1)))});
  }
}

void Stepper::Wait(Value term, std::vector<Transition>& out) {
  int64_t n = term->kid(0)->number;
  EventId tock = evaluator_.EventOf(term->kid(1), {});
  if (n > 0) {
    bool last = n == 1 && OpOf(term) == ProcOp::kDelay;
    out.push_back({tock, last ? evaluator_.Force(term->kid(2)) : With(term, 0, evaluator_.store().Int(n - 1))});
    return;
  }
  Tick(out);
  out.push_back({tock, term});
}

ExplicitLts Stepper::ExploreAll(Value root, bool& complete) {
  std::unordered_map<Value, uint32_t> number{{root, 0}};
  std::vector<Value> order{root};
  ExplicitLts lts;
  if (explorer_) {
    complete = explorer_(root, kCompressLimit, lts);
    return lts;
  }
  complete = false;
  for (size_t at = 0; at < order.size(); ++at) {
    if (order.size() > kCompressLimit) return lts;
    std::vector<ExplicitLts::Edge> edges;
    for (const Transition& t : Step(order[at])) {
      if (t.event == kTick) {
        edges.push_back({t.event, 0});
        continue;
      }
      auto [it, fresh] = number.try_emplace(t.target, static_cast<uint32_t>(order.size()));
      if (fresh) order.push_back(t.target);
      edges.push_back({t.event, it->second});
    }
    lts.states.push_back(std::move(edges));
  }
  complete = true;
  return lts;
}

Value Stepper::ExplicitState(const ExplicitLts& lts) {
  return evaluator_.store().Make(Kind::kProcess, static_cast<int64_t>(ProcOp::kExplicit), &lts,
                                 {evaluator_.store().Int(0)});
}

// Terms that are computed as a whole: their first state. Others are as they are.
Value Stepper::Settled(Value target) {
  ProcOp op = OpOf(target);
  if (op != ProcOp::kCompress && op != ProcOp::kWatchdog) return target;
  auto known = settled_.find(target);
  if (known != settled_.end()) return known->second;
  Value result = op == ProcOp::kCompress ? Compressed(target) : Watchdog(target);
  settled_.emplace(target, result);
  return result;
}

Value Stepper::Compressed(Value term) {
  Value root = Settled(term->kid(0));
  Compression how = static_cast<Compression>(term->kid(1)->number);
  if (how == Compression::kNone) return root;
  bool complete = false;
  ExplicitLts lts = ExploreAll(root, complete);
  if (!complete) return root;
  explicit_.push_back(Compress(lts, how, all_models_, [&] { evaluator_.Poll(kPollWork); }));
  return ExplicitState(explicit_.back());
}

// All events of A are always possible. One that P cannot do after this trace leads to bang, and then nothing.
Value Stepper::Watchdog(Value term) {
  bool complete = false;
  ExplicitLts lts = ExploreAll(term->kid(0), complete);
  ExplicitLts dog;
  complete = complete && TraceDeterministic(lts, kCompressLimit, [&] { evaluator_.Poll(kPollWork); }, dog);
  if (!complete) {
    AboutToThrow();
    throw Stopped{fmt::format("the process of a watchdog has more than {} states", kCompressLimit)};
  }
  uint32_t wrong = static_cast<uint32_t>(dog.states.size());
  for (auto& edges : dog.states) {
    std::erase_if(edges, [&](const ExplicitLts::Edge& e) { return !evaluator_.SetHasEvent(term->kid(1), e.event); });
    size_t known = edges.size();
    for (Value value : evaluator_.Elements(term->kid(1), {})) {
      EventId event = evaluator_.EventOf(value, {});
      bool has = std::any_of(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(known),
                             [&](const ExplicitLts::Edge& e) { return e.event == event; });
      if (!has) edges.push_back({event, wrong});
    }
  }
  dog.states.push_back({{evaluator_.EventOf(term->kid(2), {}), wrong + 1}});
  dog.states.emplace_back();
  explicit_.push_back(std::move(dog));
  return ExplicitState(explicit_.back());
}

}  // namespace heddle::csp
