#include "csp/lts/step.h"

#include <algorithm>
#include <unordered_set>

namespace heddle::csp {

Value Stepper::Omega() { return Proc(ProcOp::kOmega, {}); }

Value Stepper::With(Value term, size_t kid, Value replacement) {
  std::vector<Value> kids(term->kids().begin(), term->kids().end());
  kids[kid] = replacement;
  return Proc(OpOf(term), kids);
}

const std::vector<Transition>& Stepper::Step(Value term) {
  if (term->memo == nullptr) {
    evaluator_.Poll();
    std::vector<Transition> out;
    Compute(term, out);
    for (Transition& t : out) t.target = Settled(t.target);
    // Repetitions go; the order of the rest stays, so that runs are reproducible.
    std::vector<Transition> unique;
    std::unordered_set<uint64_t> seen;
    for (const Transition& t : out) {
      bool fresh = out.size() < 16
                       ? std::find(unique.begin(), unique.end(), t) == unique.end()
                       : seen.insert((uint64_t{t.event} << 48) ^ reinterpret_cast<uintptr_t>(t.target)).second;
      if (fresh) unique.push_back(t);
    }
    std::vector<size_t> order(unique.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return unique[a].event != unique[b].event ? unique[a].event < unique[b].event : a < b;
    });
    std::vector<Transition> sorted;
    for (size_t i : order) sorted.push_back(unique[i]);
    kept_.push_back(std::move(sorted));
    term->memo = &kept_.back();
  }
  return *static_cast<const std::vector<Transition>*>(term->memo);
}

void Stepper::Compute(Value term, std::vector<Transition>& out) {
  Evaluator& ev = evaluator_;
  switch (OpOf(term)) {
    case ProcOp::kLate: {
      const std::vector<Transition>& steps = Step(ev.Force(term));
      out = steps;
      return;
    }
    case ProcOp::kStop:
    case ProcOp::kOmega:
      return;
    case ProcOp::kSkip:
      return Tick(out);
    case ProcOp::kDiv:
      out.push_back({kTau, term});
      return;
    case ProcOp::kRun:
    case ProcOp::kChaos:
      for (Value event : ev.Elements(term->kid(0), {})) out.push_back({ev.EventOf(event, {}), term});
      if (OpOf(term) == ProcOp::kChaos) out.push_back({kTau, Proc(ProcOp::kStop, {})});
      return;
    case ProcOp::kPrefix:
      return Prefix(term, out);
    case ProcOp::kEvents:
      return EventChoice(term, out);
    case ProcOp::kExt:
      return Ext(term, out);
    case ProcOp::kInt:
      for (Value kid : term->kids()) out.push_back({kTau, ev.Force(kid)});
      return;
    case ProcOp::kSlide:
      for (const Transition& t : Step(term->kid(0))) {
        out.push_back({t.event, t.event == kTau ? With(term, 0, t.target) : t.target});
      }
      out.push_back({kTau, ev.Force(term->kid(1))});
      return;
    case ProcOp::kInterrupt:
      return Interrupt(term, out);
    case ProcOp::kSequence:
      return Sequence(term, out);
    case ProcOp::kException:
      return Exception(term, out);
    case ProcOp::kParallel:
    case ProcOp::kTimedParallel:
      return Parallel(term, out);
    case ProcOp::kAlphabet:
    case ProcOp::kTimedAlphabet:
      return Alphabet(term, out);
    case ProcOp::kLink:
      return Link(term, out);
    case ProcOp::kHide:
    case ProcOp::kProject:
      return Hide(term, out);
    case ProcOp::kRename:
      return Rename(term, out);
    case ProcOp::kSyncExt:
      return SyncExt(term, out);
    case ProcOp::kSyncInterrupt:
      return SyncInterrupt(term, out);
    case ProcOp::kCompress:
    case ProcOp::kWatchdog:
      out = Step(Settled(term));
      return;
    case ProcOp::kChase:
      return Chase(With(term, 0, Live(term->kid(0))), out);
    case ProcOp::kPriority:
      return Priority(With(term, 0, Live(term->kid(0))), out);
    case ProcOp::kOrder:
      return Order(With(term, 0, Live(term->kid(0))), out);
    case ProcOp::kDeter:
      return Deter(With(term, 0, Live(term->kid(0))), out);
    case ProcOp::kLive:
      return live_.step(static_cast<uint32_t>(term->kid(0)->number), out);
    case ProcOp::kBuffer:
      return Buffer(term, out);
    case ProcOp::kDelay:
    case ProcOp::kWait:
      return Wait(term, out);
    case ProcOp::kExplicit: {
      const ExplicitLts& lts = *static_cast<const ExplicitLts*>(term->ptr);
      for (const ExplicitLts::Edge& edge : lts.states[static_cast<size_t>(term->kid(0)->number)]) {
        if (edge.event == kTick) {
          Tick(out);
          continue;
        }
        Value target = ev.store().Make(Kind::kProcess, term->number, term->ptr, {ev.store().Int(edge.target)});
        out.push_back({edge.event, target});
      }
      return;
    }
  }
}

void Stepper::Prefix(Value term, std::vector<Transition>& out) {
  auto groups = evaluator_.Offers(term);
  if (groups.size() <= 1) {
    for (const auto& group : groups) {
      for (const Evaluator::Offer& offer : group) out.push_back({offer.event, evaluator_.Force(offer.next)});
    }
    // In a timed section a prefix lets time pass.
    if (EventId tock = evaluator_.TockOf(term); tock != kTau) out.push_back({tock, term});
    return;
  }
  for (const auto& group : groups) {
    std::vector<Value> kids;
    for (const Evaluator::Offer& offer : group) {
      kids.push_back(evaluator_.EventValue(offer.event));
      kids.push_back(offer.next);
    }
    out.push_back({kTau, Proc(ProcOp::kEvents, kids)});
  }
}

void Stepper::EventChoice(Value term, std::vector<Transition>& out) {
  for (size_t i = 0; i < term->count; i += 2) {
    out.push_back({evaluator_.EventOf(term->kid(i), {}), evaluator_.Force(term->kid(i + 1))});
  }
}

void Stepper::Ext(Value term, std::vector<Transition>& out) {
  for (size_t i = 0; i < term->count; ++i) {
    for (const Transition& t : Step(term->kid(i))) {
      out.push_back({t.event, t.event == kTau ? With(term, i, t.target) : t.target});
    }
  }
}

void Stepper::Interrupt(Value term, std::vector<Transition>& out) {
  for (const Transition& t : Step(term->kid(0))) {
    out.push_back({t.event, t.event == kTick ? t.target : With(term, 0, t.target)});
  }
  for (const Transition& t : Step(term->kid(1))) {
    out.push_back({t.event, t.event == kTau ? With(term, 1, t.target) : t.target});
  }
}

void Stepper::Sequence(Value term, std::vector<Transition>& out) {
  for (const Transition& t : Step(term->kid(0))) {
    if (t.event == kTick) {
      out.push_back({kTau, evaluator_.Force(term->kid(1))});
    } else {
      out.push_back({t.event, With(term, 0, t.target)});
    }
  }
}

void Stepper::Exception(Value term, std::vector<Transition>& out) {
  for (const Transition& t : Step(term->kid(0))) {
    if (t.event >= kFirstEvent && evaluator_.SetHasEvent(term->kid(1), t.event)) {
      out.push_back({t.event, evaluator_.Force(term->kid(2))});
    } else {
      out.push_back({t.event, t.event == kTick ? t.target : With(term, 0, t.target)});
    }
  }
}

// Every combination of steps with `event` of the parts named in `parties`.
void Stepper::Synchronise(Value term, size_t first, size_t stride, const std::vector<size_t>& parties, EventId event,
                          size_t at, std::vector<Value>& kids, std::vector<Transition>& out) {
  if (at == parties.size()) {
    out.push_back({event, Proc(OpOf(term), kids)});
    return;
  }
  size_t place = first + parties[at] * stride;
  Value before = kids[place];
  for (const Transition& t : Step(term->kid(place))) {
    if (t.event != event) continue;
    kids[place] = t.target;
    Synchronise(term, first, stride, parties, event, at + 1, kids, out);
  }
  kids[place] = before;
}

bool Stepper::CanTick(Value term) {
  const std::vector<Transition>& steps = Step(term);
  return std::any_of(steps.begin(), steps.end(), [](const Transition& t) { return t.event == kTick; });
}

void Stepper::Parallel(Value term, std::vector<Transition>& out) {
  bool timed = OpOf(term) == ProcOp::kTimedParallel;
  std::vector<size_t> everyone;
  bool all_omega = true;
  for (size_t i = 1; i < term->count; ++i) {
    everyone.push_back(i - 1);
    all_omega &= OpOf(term->kid(i)) == ProcOp::kOmega;
  }
  if (all_omega) return Tick(out);
  std::vector<EventId> shared;
  for (size_t i = 1; i < term->count; ++i) {
    for (const Transition& t : Step(term->kid(i))) {
      if (t.event == kTick) {
        if (!timed) out.push_back({kTau, With(term, i, Omega())});
      } else if (t.event == kTau || !evaluator_.SetHasEvent(term->kid(0), t.event)) {
        out.push_back({t.event, With(term, i, t.target)});
      } else if (i == 1 && (shared.empty() || shared.back() != t.event)) {
        shared.push_back(t.event);
      }
    }
  }
  std::vector<Value> kids(term->kids().begin(), term->kids().end());
  for (EventId event : shared) Synchronise(term, 1, 1, everyone, event, 0, kids, out);
  if (timed && std::all_of(kids.begin() + 1, kids.end(), [this](Value kid) { return CanTick(kid); })) Tick(out);
}

void Stepper::Alphabet(Value term, std::vector<Transition>& out) {
  size_t parts = term->count / 2;
  bool timed = OpOf(term) == ProcOp::kTimedAlphabet;
  bool all_omega = true;
  bool all_tick = true;
  for (size_t i = 0; i < parts; ++i) {
    all_omega &= OpOf(term->kid(2 * i + 1)) == ProcOp::kOmega;
    all_tick = all_tick && CanTick(term->kid(2 * i + 1));
  }
  if (timed && all_tick) Tick(out);
  if (all_omega) return Tick(out);
  std::vector<EventId> candidates;
  for (size_t i = 0; i < parts; ++i) {
    for (const Transition& t : Step(term->kid(2 * i + 1))) {
      if (t.event == kTick) {
        if (!timed) out.push_back({kTau, With(term, 2 * i + 1, Omega())});
      } else if (t.event == kTau) {
        out.push_back({kTau, With(term, 2 * i + 1, t.target)});
      } else {
        candidates.push_back(t.event);
      }
    }
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::vector<Value> kids(term->kids().begin(), term->kids().end());
  for (EventId event : candidates) {
    std::vector<size_t> parties;
    for (size_t i = 0; i < parts; ++i) {
      if (evaluator_.SetHasEvent(term->kid(2 * i), event)) parties.push_back(i);
    }
    if (!parties.empty()) Synchronise(term, 1, 2, parties, event, 0, kids, out);
  }
}

// P [a <-> b] Q: a.x of P happens together with b.x of Q and cannot be seen; neither happens alone.
void Stepper::Link(Value term, std::vector<Transition>& out) {
  Evaluator& ev = evaluator_;
  if (OpOf(term->kid(0)) == ProcOp::kOmega && OpOf(term->kid(1)) == ProcOp::kOmega) return Tick(out);
  std::vector<Value> left;
  std::vector<Value> right;
  for (size_t side = 0; side < 2; ++side) {
    for (const Transition& t : Step(term->kid(side))) {
      bool linked = false;
      for (size_t i = 2; t.event >= kFirstEvent && i < term->count; i += 2) {
        if (!ev.Suffix(term->kid(i + side), ev.EventValue(t.event), left)) continue;
        linked = true;
        if (side == 1) break;
        for (const Transition& u : Step(term->kid(1))) {
          if (u.event < kFirstEvent || !ev.Suffix(term->kid(i + 1), ev.EventValue(u.event), right)) continue;
          if (left == right) out.push_back({kTau, With(With(term, 0, t.target), 1, u.target)});
        }
      }
      if (linked) continue;
      out.push_back({t.event == kTick ? kTau : t.event, With(term, side, t.target)});
    }
  }
}

void Stepper::Hide(Value term, std::vector<Transition>& out) {
  bool project = OpOf(term) == ProcOp::kProject;
  for (const Transition& t : Step(term->kid(0))) {
    if (t.event == kTick) {
      Tick(out);
      continue;
    }
    bool hidden = t.event >= kFirstEvent && evaluator_.SetHasEvent(term->kid(1), t.event) != project;
    out.push_back({hidden ? kTau : t.event, With(term, 0, t.target)});
  }
}

void Stepper::Rename(Value term, std::vector<Transition>& out) {
  for (const Transition& t : Step(term->kid(0))) {
    if (t.event == kTick) {
      Tick(out);
    } else if (t.event == kTau) {
      out.push_back({kTau, With(term, 0, t.target)});
    } else {
      Value next = With(term, 0, t.target);
      for (EventId image : evaluator_.Renamed(term->kid(1), t.event)) out.push_back({image, next});
    }
  }
}

void Stepper::SyncExt(Value term, std::vector<Transition>& out) {
  for (size_t side : {size_t{0}, size_t{2}}) {
    for (const Transition& t : Step(term->kid(side))) {
      if (t.event == kTau) {
        out.push_back({kTau, With(term, side, t.target)});
      } else if (t.event == kTick || !evaluator_.SetHasEvent(term->kid(1), t.event)) {
        out.push_back(t);
      } else if (side == 0) {
        for (const Transition& u : Step(term->kid(2))) {
          if (u.event == t.event) out.push_back({t.event, With(With(term, 0, t.target), 2, u.target)});
        }
      }
    }
  }
}

void Stepper::SyncInterrupt(Value term, std::vector<Transition>& out) {
  for (const Transition& t : Step(term->kid(0))) {
    if (t.event == kTick) {
      out.push_back(t);
    } else if (t.event == kTau || !evaluator_.SetHasEvent(term->kid(1), t.event)) {
      out.push_back({t.event, With(term, 0, t.target)});
    } else {
      for (const Transition& u : Step(term->kid(2))) {
        if (u.event == t.event) out.push_back({t.event, With(With(term, 0, t.target), 2, u.target)});
      }
    }
  }
  for (const Transition& t : Step(term->kid(2))) {
    if (t.event == kTau) {
      out.push_back({kTau, With(term, 2, t.target)});
    } else if (t.event == kTick || !evaluator_.SetHasEvent(term->kid(1), t.event)) {
      out.push_back(t);
    }
  }
}

// Only the most urgent events remain; tau and tick are as urgent as the first set, events in no set are unaffected.
void Stepper::Priority(Value term, std::vector<Transition>& out) {
  const std::vector<Transition>& steps = Step(term->kid(0));
  auto rank = [&](EventId event) -> size_t {
    if (event < kFirstEvent) return 1;
    for (size_t i = 1; i < term->count; ++i) {
      if (evaluator_.SetHasEvent(term->kid(i), event)) return i;
    }
    return 0;  // in no set
  };
  size_t best = term->count;
  for (const Transition& t : steps) {
    if (size_t r = rank(t.event); r != 0) best = std::min(best, r);
  }
  for (const Transition& t : steps) {
    size_t r = rank(t.event);
    if (r == 0 || r == best) out.push_back({t.event, t.event == kTick ? t.target : With(term, 0, t.target)});
  }
}

}  // namespace heddle::csp
