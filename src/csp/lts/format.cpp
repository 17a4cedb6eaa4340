#include "csp/lts/format.h"

#include <algorithm>

#include "csp/lts/bisim.h"
#include "csp/lts/growing.h"

namespace heddle::csp {

std::vector<uint32_t> ProcessKids(Value term) {
  std::vector<uint32_t> kids;
  switch (OpOf(term)) {
    case ProcOp::kParallel:
    case ProcOp::kTimedParallel:
      for (uint32_t i = 1; i < term->count; ++i) kids.push_back(i);
      break;
    case ProcOp::kAlphabet:
    case ProcOp::kTimedAlphabet:
      for (uint32_t i = 1; i < term->count; i += 2) kids.push_back(i);
      break;
    case ProcOp::kExt:
      for (uint32_t i = 0; i < term->count; ++i) kids.push_back(i);
      break;
    case ProcOp::kLink:
    case ProcOp::kInterrupt:
      kids = {0, 1};
      break;
    default:
      kids = {0};
  }
  return kids;
}

System::System(Evaluator& evaluator) : evaluator_(evaluator), stepper_(evaluator), machines_(stepper_) {
  stepper_.set_explorer([this](Value root, size_t limit, ExplicitLts& lts) { return ExploreAll(root, limit, lts); });
  stepper_.set_live_states({[this](Value root) -> Value {
                              State state = Take(root);
                              return format(state.format).lazy ? nullptr : LiveState(state);
                            },
                            [this](uint32_t number, std::vector<Transition>& out) { LiveStep(number, out); }});
}
System::~System() = default;

uint32_t System::LazyNumber(Value term) {
  auto [it, fresh] = lazy_numbers_.try_emplace(term, static_cast<uint32_t>(lazy_terms_.size()));
  if (fresh) lazy_terms_.push_back(term);
  return it->second;
}

System::State System::Lazy(Value term) {
  if (lazy_format_ < 0) {
    auto format = std::make_unique<Format>();
    format->id = static_cast<uint32_t>(formats_.size());
    format->lazy = true;
    format->leaves.push_back({});
    format->shapes.push_back({});
    format->shapes[0].leaf = 0;
    lazy_format_ = format->id;
    formats_.push_back(std::move(format));
  }
  return {static_cast<uint32_t>(lazy_format_), {LazyNumber(term)}};
}

size_t System::Hash::operator()(const State& s) const {
  size_t h = s.format;
  for (uint32_t leaf : s.leaves) h = (h ^ leaf) * 0x9E3779B97F4A7C15u + (h >> 29);
  return h;
}

Value System::LiveState(const State& state) {
  auto [it, fresh] = live_numbers_.try_emplace(state, static_cast<uint32_t>(live_states_.size()));
  if (fresh) live_states_.push_back(state);
  return evaluator_.store().Make(Kind::kProcess, static_cast<int64_t>(ProcOp::kLive), nullptr,
                                 {evaluator_.store().Int(it->second)});
}

void System::LiveStep(uint32_t number, std::vector<Transition>& out) {
  for (const Step& step : Successors(live_states_[number])) {
    out.push_back({step.event, step.event == kTick ? stepper_.Omega() : LiveState(step.next)});
  }
}

bool System::ExploreAll(Value root, size_t limit, ExplicitLts& lts) {
  std::unordered_map<State, uint32_t, Hash> number;
  std::deque<State> order{Take(root)};
  number.emplace(order[0], 0);
  for (size_t at = 0; at < order.size(); ++at) {
    if (order.size() > limit) return false;
    evaluator_.Poll();
    std::vector<ExplicitLts::Edge> edges;
    for (Step& step : Successors(order[at])) {
      if (step.event == kTick) {
        edges.push_back({kTick, 0});
        continue;
      }
      auto [it, fresh] = number.try_emplace(step.next, static_cast<uint32_t>(order.size()));
      if (fresh) order.push_back(std::move(step.next));
      edges.push_back({step.event, it->second});
    }
    SortEdges(edges);
    lts.states.push_back(std::move(edges));
  }
  return true;
}

// What is chased and has no machine, as a leaf that grows.
bool System::TakeGrowing(Value term, Format& format, std::vector<uint32_t>& states, std::vector<uintptr_t>& key) {
  Value process = stepper_.Settled(term->kid(0));
  State inner;
  if (OpOf(process) == ProcOp::kLive) {
    inner = live_states_[static_cast<size_t>(process->kid(0)->number)];
  } else if (HasParallel(process)) {
    inner = Take(process);
  } else {
    return false;
  }
  if (!Growing::Fits(*formats_[inner.format])) return false;
  std::unique_ptr<Growing>& growing = growing_[inner.format];
  if (growing == nullptr) growing = std::make_unique<Growing>(*this, *formats_[inner.format]);
  format.leaves.push_back({&growing->machine(), 0, evaluator_.ProcessName(term)});
  format.grows = true;
  states.push_back(growing->Number(inner.leaves));
  key.push_back((uintptr_t{inner.format} + 1) << 33 | 1);  // no number of a machine
  return true;
}

// What is chased was met before as a state of a leaf that grows.
bool System::GrowsAlready(Value term) const {
  while (OpOf(term) != ProcOp::kChase) term = term->kid(0);
  if (OpOf(term->kid(0)) != ProcOp::kLive) return false;
  return growing_.count(live_states_[static_cast<size_t>(term->kid(0)->kid(0)->number)].format) != 0;
}

// `top`: nothing but hiding, renaming and priority stands above.
bool System::TakeApart(Value term, bool top, Format& format, std::vector<uint32_t>& states,
                       std::vector<uintptr_t>& key) {
  term = stepper_.Settled(term);
  uint32_t index = static_cast<uint32_t>(format.shapes.size());
  format.shapes.emplace_back();
  bool apart = HasParallel(term) || (top && HasPriority(term));
  if (!apart) {
    bool grows = IsChased(term) && (always_grow_ || GrowsAlready(term));
    MachineTable::Place place = grows ? MachineTable::Place{} : machines_.Find(term);
    if (place.machine != nullptr) {
      format.shapes[index].leaf = static_cast<int>(format.leaves.size());
      format.leaves.push_back({place.machine, place.id, evaluator_.ProcessName(term)});
      states.push_back(place.state);
      key.push_back(uintptr_t{place.id} * 2 + 1);
      return true;
    }
    if (!IsChased(term)) return false;
    if (OpOf(term) == ProcOp::kChase) {
      format.shapes[index].leaf = static_cast<int>(format.leaves.size());
      return TakeGrowing(term, format, states, key);
    }
  }
  format.shapes[index].term = term;
  key.push_back(static_cast<uintptr_t>(term->number) * 2);
  key.push_back(term->count);
  std::vector<uint32_t> processes = ProcessKids(term);
  ProcOp op = OpOf(term);
  top = top && (op == ProcOp::kHide || op == ProcOp::kProject || op == ProcOp::kRename);
  size_t next = 0;
  for (uint32_t i = 0; i < term->count; ++i) {
    if (next < processes.size() && processes[next] == i) {
      ++next;
      format.shapes[index].kids.push_back(static_cast<uint32_t>(format.shapes.size()));
      if (!TakeApart(term->kid(i), top, format, states, key)) return false;
    } else {
      key.push_back(reinterpret_cast<uintptr_t>(term->kid(i)));
    }
  }
  return true;
}

System::State System::Take(Value term) {
  term = stepper_.Settled(term);
  if (always_lazy_) return Lazy(term);
  auto format = std::make_unique<Format>();
  State state;
  std::vector<uintptr_t> key;
  if (!TakeApart(term, true, *format, state.leaves, key)) return Lazy(term);
  auto known = by_key_.find(key);
  if (known != by_key_.end()) {
    state.format = known->second;
    return formats_[state.format]->lazy ? Lazy(term) : state;
  }
  uint32_t id = static_cast<uint32_t>(formats_.size());
  format->id = id;
  bool fits = false;
  try {
    fits = CompileRules(*this, *format);
  } catch (const ScriptError&) {
    fits = false;  // a renaming that leaves its channel's type, perhaps never reached
  }
  if (!fits) {
    State lazy = Lazy(term);
    by_key_.emplace(std::move(key), lazy.format);
    return lazy;
  }
  formats_.push_back(std::move(format));
  by_key_.emplace(std::move(key), id);
  state.format = id;
  return state;
}

Value System::PutTogether(const Format& format, uint32_t shape, const std::vector<uint32_t>& leaves,
                          const std::vector<Change>& changes) {
  const Format::Shape& s = format.shapes[shape];
  for (const Change& change : changes) {
    if (change.node != shape) continue;
    if (change.term != nullptr) return evaluator_.Force(change.term);
    return PutTogether(format, s.kids[change.child], leaves, changes);
  }
  if (s.leaf >= 0) {
    uint32_t state = leaves[static_cast<size_t>(s.leaf)];
    const Machine* machine = format.leaves[static_cast<size_t>(s.leaf)].machine;
    if (machine != nullptr && machine->growing != nullptr) {
      if (machine->omega == static_cast<int64_t>(state)) return stepper_.Omega();
      Value live = LiveState({machine->growing->format(), machine->growing->Leaves(state)});
      return evaluator_.store().Make(Kind::kProcess, static_cast<int64_t>(ProcOp::kChase), nullptr, {live});
    }
    return format.lazy ? lazy_terms_[state] : format.leaves[static_cast<size_t>(s.leaf)].machine->terms[state];
  }
  std::vector<Value> kids(s.term->kids().begin(), s.term->kids().end());
  std::vector<uint32_t> processes = ProcessKids(s.term);
  for (size_t i = 0; i < processes.size(); ++i) {
    kids[processes[i]] = PutTogether(format, s.kids[i], leaves, changes);
  }
  // What is chased may have terminated below hiding and renaming; no other leaf stands directly below them.
  if (s.kids.size() == 1 && OpOf(kids[0]) == ProcOp::kOmega) return kids[0];
  return evaluator_.store().Make(Kind::kProcess, s.term->number, s.term->ptr, kids);
}

Value System::Put(const State& state) { return PutTogether(*formats_[state.format], 0, state.leaves, {}); }

System::State System::Apply(const State& state, const Rule& rule, const std::vector<uint32_t>& targets) {
  std::vector<uint32_t> leaves = state.leaves;
  for (size_t i = 0; i < rule.parts.size(); ++i) leaves[rule.parts[i].leaf] = targets[i];
  return Take(PutTogether(*formats_[state.format], 0, leaves, rule.changes));
}

std::vector<uint32_t> System::PossibleRules(const Format& format, const State& state) const {
  std::vector<uint32_t> rules = format.free_rules;
  std::vector<uint32_t> targets;
  auto can_move = [&](const Rule::Part& part) {
    format.leaves[part.leaf].machine->Targets(state.leaves[part.leaf], part.event, targets);
    return !targets.empty();
  };
  auto add = [&](size_t leaf, EventId event) {
    auto found = format.led[leaf].find(event);
    if (found == format.led[leaf].end()) return;
    for (uint32_t i : found->second) {
      const std::vector<Rule::Part>& parts = format.rules[i].parts;
      if (std::all_of(parts.begin() + 1, parts.end(), can_move)) rules.push_back(i);
    }
  };
  for (size_t leaf = 0; leaf < format.leaves.size(); ++leaf) {
    const Machine& machine = *format.leaves[leaf].machine;
    uint32_t s = state.leaves[leaf];
    if (machine.omega == static_cast<int64_t>(s)) add(leaf, kOmegaEvent);
    if (machine.growing != nullptr) {
      for (EventId event : machine.alphabet) {
        if (format.led[leaf].count(event) == 0) continue;
        if (can_move({static_cast<uint32_t>(leaf), event})) add(leaf, event);
      }
      continue;
    }
    for (uint32_t e = machine.first[s]; e < machine.first[s + 1]; ++e) {
      if (e == machine.first[s] || machine.edges[e].event != machine.edges[e - 1].event) {
        add(leaf, machine.edges[e].event);
      }
    }
  }
  std::sort(rules.begin(), rules.end());
  if (format.prioritised) {
    uint32_t best = ~0u;
    for (uint32_t i : rules) {
      if (format.rules[i].rank != 0) best = std::min(best, format.rules[i].rank);
    }
    std::erase_if(rules, [&](uint32_t i) { return format.rules[i].rank > best; });
  }
  return rules;
}

std::vector<System::Step> System::Successors(const State& state) {
  const Format& format = *formats_[state.format];
  std::vector<Step> out;
  if (format.lazy) {
    for (const Transition& t : stepper_.Step(lazy_terms_[state.leaves[0]])) {
      out.push_back({t.event, {state.format, {LazyNumber(t.target)}}, {{0, t.event}}});
    }
    return out;
  }
  for (uint32_t number : PossibleRules(format, state)) {
    const Rule& rule = format.rules[number];
    ForEachMove(format, state, rule, [&](const std::vector<uint32_t>& targets, bool boundary) {
      Step step{rule.event, state, {}};
      for (size_t i = 0; i < targets.size(); ++i) {
        step.next.leaves[rule.parts[i].leaf] = targets[i];
        if (rule.parts[i].event != kOmegaEvent) step.parts.emplace_back(rule.parts[i].leaf, rule.parts[i].event);
      }
      if (boundary || !rule.changes.empty()) step.next = Apply(state, rule, targets);
      out.push_back(std::move(step));
    });
  }
  return out;
}

}  // namespace heddle::csp
