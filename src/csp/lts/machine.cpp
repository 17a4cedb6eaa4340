#include "csp/lts/machine.h"

#include <algorithm>

#include "csp/lts/growing.h"

namespace heddle::csp {

bool HasParallel(Value term) {
  while (true) {
    switch (OpOf(term)) {
      case ProcOp::kParallel:
      case ProcOp::kTimedParallel:
      case ProcOp::kAlphabet:
      case ProcOp::kTimedAlphabet:
      case ProcOp::kLink:
        return true;
      case ProcOp::kHide:
      case ProcOp::kProject:
      case ProcOp::kRename:
      case ProcOp::kSequence:
      case ProcOp::kException:
      case ProcOp::kSlide:
        term = term->kid(0);
        continue;
      case ProcOp::kInterrupt:
        return HasParallel(term->kid(0)) || HasParallel(term->kid(1));
      case ProcOp::kExt:
        return std::any_of(term->kids().begin(), term->kids().end(), HasParallel);
      default:
        return false;
    }
  }
}

// What is below operators that only change the names of events.
static Value BelowNames(Value term) {
  while (OpOf(term) == ProcOp::kHide || OpOf(term) == ProcOp::kProject || OpOf(term) == ProcOp::kRename) {
    term = term->kid(0);
  }
  return term;
}

bool HasPriority(Value term) {
  term = BelowNames(term);
  return OpOf(term) == ProcOp::kPriority && HasParallel(term->kid(0));
}

std::unique_ptr<Machine> MachineTable::Explore(Value root, size_t limit, bool stop_at_parallel) {
  auto machine = std::make_unique<Machine>();
  machine->terms.push_back(root);
  machine->number.emplace(root, 0);
  for (size_t at = 0; at < machine->terms.size(); ++at) {
    if (machine->terms.size() > limit) return nullptr;
    machine->first.push_back(static_cast<uint32_t>(machine->edges.size()));
    Value term = machine->terms[at];
    bool boundary = stop_at_parallel && at != 0 && HasParallel(term);
    machine->boundary.push_back(boundary);
    machine->has_boundary |= boundary;
    if (OpOf(term) == ProcOp::kOmega) machine->omega = static_cast<int64_t>(at);
    if (boundary) continue;
    for (const Transition& t : stepper_.Step(term)) {
      auto [it, fresh] = machine->number.try_emplace(t.target, static_cast<uint32_t>(machine->terms.size()));
      if (fresh) machine->terms.push_back(t.target);
      machine->edges.push_back({t.event, it->second});
    }
  }
  machine->first.push_back(static_cast<uint32_t>(machine->edges.size()));
  return machine;
}

void MachineTable::Finish(Machine& machine) {
  for (const Machine::Edge& edge : machine.edges) machine.alphabet.push_back(edge.event);
  std::sort(machine.alphabet.begin(), machine.alphabet.end());
  machine.alphabet.erase(std::unique(machine.alphabet.begin(), machine.alphabet.end()), machine.alphabet.end());
  // Acyclic when states can be removed one by one, each without edges coming in from those that remain.
  std::vector<uint32_t> incoming(machine.size(), 0);
  for (const Machine::Edge& edge : machine.edges) ++incoming[edge.target];
  std::vector<uint32_t> ready;
  for (uint32_t s = 0; s < machine.size(); ++s) {
    if (incoming[s] == 0) ready.push_back(s);
  }
  size_t removed = 0;
  while (!ready.empty()) {
    uint32_t s = ready.back();
    ready.pop_back();
    ++removed;
    for (uint32_t e = machine.first[s]; e < machine.first[s + 1]; ++e) {
      if (--incoming[machine.edges[e].target] == 0) ready.push_back(machine.edges[e].target);
    }
  }
  machine.acyclic = removed == machine.size();
}

void Machine::Targets(uint32_t state, EventId event, std::vector<uint32_t>& out) const {
  out.clear();
  if (growing != nullptr) {
    out = growing->Targets(state, event);
    return;
  }
  if (event == kOmegaEvent) {
    if (omega == static_cast<int64_t>(state)) out.push_back(state);
    return;
  }
  auto begin = edges.begin() + first[state];
  auto end = edges.begin() + first[state + 1];
  auto it = std::lower_bound(begin, end, event, [](const Edge& e, EventId v) { return e.event < v; });
  for (; it != end && it->event == event; ++it) out.push_back(it->target);
}

bool IsChased(Value term) { return OpOf(BelowNames(term)) == ProcOp::kChase; }

MachineTable::Place MachineTable::Find(Value term) {
  auto known = places_.find(term);
  if (known != places_.end()) {
    return {machines_[known->second.first].get(), known->second.first, known->second.second};
  }
  if (without_.count(term) != 0) return {};
  std::unique_ptr<Machine> machine;
  try {
    machine = Explore(term, kSmall, false);
    if (machine == nullptr && !IsChased(term)) machine = Explore(term, kMaxStates, true);
  } catch (const ScriptError&) {
    // The error may lie in a state that the rest of the system never lets it reach; the search will see.
    machine = nullptr;
  }
  if (machine == nullptr) {
    without_.insert(term);
    return {};
  }
  Finish(*machine);
  uint32_t id = static_cast<uint32_t>(machines_.size());
  for (uint32_t s = 0; s < machine->size(); ++s) {
    if (!machine->boundary[s]) places_.try_emplace(machine->terms[s], id, s);
  }
  machines_.push_back(std::move(machine));
  return {machines_.back().get(), id, 0};
}

}  // namespace heddle::csp
