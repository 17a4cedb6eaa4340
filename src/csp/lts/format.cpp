#include "csp/lts/format.h"

#include <algorithm>
#include <span>

#include "csp/lts/bisim.h"

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

bool System::TakeApart(Value term, Format& format, std::vector<uint32_t>& states, std::vector<uintptr_t>& key) {
  term = stepper_.Settled(term);
  uint32_t index = static_cast<uint32_t>(format.shapes.size());
  format.shapes.emplace_back();
  if (!HasParallel(term)) {
    MachineTable::Place place = machines_.Find(term);
    if (place.machine == nullptr) return false;
    format.shapes[index].leaf = static_cast<int>(format.leaves.size());
    format.leaves.push_back({place.machine, place.id, evaluator_.ProcessName(term)});
    states.push_back(place.state);
    key.push_back(place.id * 2 + 1);
    return true;
  }
  format.shapes[index].term = term;
  key.push_back(static_cast<uintptr_t>(term->number) * 2);
  key.push_back(term->count);
  std::vector<uint32_t> processes = ProcessKids(term);
  size_t next = 0;
  for (uint32_t i = 0; i < term->count; ++i) {
    if (next < processes.size() && processes[next] == i) {
      ++next;
      format.shapes[index].kids.push_back(static_cast<uint32_t>(format.shapes.size()));
      if (!TakeApart(term->kid(i), format, states, key)) return false;
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
  if (!TakeApart(term, *format, state.leaves, key)) return Lazy(term);
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
    return format.lazy ? lazy_terms_[state] : format.leaves[static_cast<size_t>(s.leaf)].machine->terms[state];
  }
  std::vector<Value> kids(s.term->kids().begin(), s.term->kids().end());
  std::vector<uint32_t> processes = ProcessKids(s.term);
  for (size_t i = 0; i < processes.size(); ++i) {
    kids[processes[i]] = PutTogether(format, s.kids[i], leaves, changes);
  }
  return evaluator_.store().Make(Kind::kProcess, s.term->number, s.term->ptr, kids);
}

Value System::Put(const State& state) { return PutTogether(*formats_[state.format], 0, state.leaves, {}); }

System::State System::Apply(const State& state, const Rule& rule, const std::vector<uint32_t>& targets) {
  std::vector<uint32_t> leaves = state.leaves;
  for (size_t i = 0; i < rule.parts.size(); ++i) leaves[rule.parts[i].leaf] = targets[i];
  return Take(PutTogether(*formats_[state.format], 0, leaves, rule.changes));
}

namespace {

// The edges of a state with this event; they are sorted by event.
std::span<const Machine::Edge> EdgesWith(const Machine& machine, uint32_t state, EventId event) {
  auto begin = machine.edges.begin() + machine.first[state];
  auto end = machine.edges.begin() + machine.first[state + 1];
  auto less = [](const Machine::Edge& e, EventId wanted) { return e.event < wanted; };
  auto first = std::lower_bound(begin, end, event, less);
  auto last = first;
  while (last != end && last->event == event) ++last;
  return {first, last};
}

}  // namespace

// The rules whose parts can all move, in the order of their numbers.
std::vector<uint32_t> System::PossibleRules(const Format& format, const State& state) const {
  std::vector<uint32_t> rules = format.free_rules;
  auto can_move = [&](const Rule::Part& part) {
    const Machine& machine = *format.leaves[part.leaf].machine;
    uint32_t s = state.leaves[part.leaf];
    if (part.event == kOmegaEvent) return machine.omega == static_cast<int64_t>(s);
    return !EdgesWith(machine, s, part.event).empty();
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
    for (uint32_t e = machine.first[s]; e < machine.first[s + 1]; ++e) {
      if (e == machine.first[s] || machine.edges[e].event != machine.edges[e - 1].event) {
        add(leaf, machine.edges[e].event);
      }
    }
  }
  std::sort(rules.begin(), rules.end());
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
    std::vector<std::vector<uint32_t>> choices;
    bool boundary = false;
    for (const Rule::Part& part : rule.parts) {
      const Machine& machine = *format.leaves[part.leaf].machine;
      uint32_t s = state.leaves[part.leaf];
      std::vector<uint32_t>& targets = choices.emplace_back();
      if (part.event == kOmegaEvent) {
        targets.push_back(s);
      } else {
        for (const Machine::Edge& edge : EdgesWith(machine, s, part.event)) targets.push_back(edge.target);
      }
      for (uint32_t t : targets) boundary |= machine.boundary[t];
    }
    std::vector<size_t> at(choices.size(), 0);
    while (true) {
      std::vector<uint32_t> targets;
      Step step{rule.event, state, {}};
      for (size_t i = 0; i < choices.size(); ++i) {
        targets.push_back(choices[i][at[i]]);
        step.next.leaves[rule.parts[i].leaf] = targets.back();
        if (rule.parts[i].event != kOmegaEvent) step.parts.emplace_back(rule.parts[i].leaf, rule.parts[i].event);
      }
      if (boundary || !rule.changes.empty()) step.next = Apply(state, rule, targets);
      out.push_back(std::move(step));
      size_t i = 0;
      while (i < at.size() && ++at[i] == choices[i].size()) at[i++] = 0;
      if (i == at.size()) break;
    }
  }
  return out;
}

}  // namespace heddle::csp
