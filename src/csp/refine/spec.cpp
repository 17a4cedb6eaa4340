#include "csp/refine/spec.h"

#include <algorithm>

#include "csp/large_stack.h"

namespace heddle::csp {
namespace {

template <typename T>
void SortUnique(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

Spec::Spec(System& system, Value process, size_t limit) : system_(system), limit_(limit) {
  NodeOf({Intern(system.Take(process))});
}

uint32_t Spec::Intern(System::State state) {
  auto [it, fresh] = numbers_.try_emplace(state, static_cast<uint32_t>(states_.size()));
  if (fresh) {
    if (states_.size() >= limit_) {
      AboutToThrow();
      throw LimitReached{};
    }
    StateInfo info;
    info.state = std::move(state);
    states_.push_back(std::move(info));
  }
  return it->second;
}

const std::vector<std::pair<EventId, uint32_t>>& Spec::Edges(uint32_t state) {
  if (!states_[state].expanded) {
    system_.evaluator().Poll();
    std::vector<std::pair<EventId, uint32_t>> edges;
    for (System::Step& step : system_.Successors(states_[state].state)) {
      edges.emplace_back(step.event, Intern(std::move(step.next)));
    }
    SortUnique(edges);
    states_[state].edges = std::move(edges);
    states_[state].expanded = true;
  }
  return states_[state].edges;
}

// Closes the set under tau and finds or makes its node.
uint32_t Spec::NodeOf(std::vector<uint32_t> states) {
  SortUnique(states);
  std::vector<uint32_t> closed;
  std::vector<uint32_t> todo = states;
  std::unordered_map<uint32_t, bool> member;
  for (uint32_t s : states) member[s] = true;
  while (!todo.empty()) {
    uint32_t s = todo.back();
    todo.pop_back();
    closed.push_back(s);
    system_.evaluator().Poll();
    for (const auto& [event, target] : Edges(s)) {
      if (event != kTau) break;  // edges are sorted, taus come first
      if (member.try_emplace(target, true).second) todo.push_back(target);
    }
  }
  SortUnique(closed);
  auto [it, fresh] = node_numbers_.try_emplace(closed, static_cast<uint32_t>(nodes_.size()));
  if (fresh) {
    Node node;
    node.states = closed;
    nodes_.push_back(std::move(node));
  }
  return it->second;
}

const std::vector<EventId>& Spec::Initials(uint32_t node) {
  if (!nodes_[node].initials_known) {
    std::vector<EventId> initials;
    for (uint32_t s : nodes_[node].states) {
      for (const auto& [event, target] : Edges(s)) {
        if (event != kTau) initials.push_back(event);
      }
    }
    SortUnique(initials);
    nodes_[node].initials = std::move(initials);
    nodes_[node].initials_known = true;
  }
  return nodes_[node].initials;
}

uint32_t Spec::After(uint32_t node, EventId event) {
  auto known = nodes_[node].after.find(event);
  if (known != nodes_[node].after.end()) return known->second;
  std::vector<uint32_t> targets;
  for (uint32_t s : nodes_[node].states) {
    system_.evaluator().Poll();
    const auto& edges = Edges(s);
    auto at = std::lower_bound(edges.begin(), edges.end(), std::pair(event, uint32_t{0}));
    for (; at != edges.end() && at->first == event; ++at) targets.push_back(at->second);
  }
  uint32_t next = targets.empty() ? kNone : NodeOf(std::move(targets));
  nodes_[node].after.emplace(event, next);
  return next;
}

bool Spec::StableOffer(uint32_t state, std::vector<EventId>& offer) {
  offer.clear();
  bool stable = true;
  bool ticks = false;
  for (const auto& [event, target] : Edges(state)) {
    stable &= event != kTau;
    ticks |= event == kTick;
    if (offer.empty() || offer.back() != event) offer.push_back(event);
  }
  if (ticks) offer.assign(1, kTick);
  return stable || ticks;
}

const std::vector<std::vector<EventId>>& Spec::Acceptances(uint32_t node) {
  if (!nodes_[node].acceptances_known) {
    std::vector<std::vector<EventId>> all;
    std::vector<EventId> offered;
    for (uint32_t s : nodes_[node].states) {
      if (StableOffer(s, offered)) all.push_back(offered);
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
    std::vector<std::vector<EventId>> minimal;
    for (const auto& set : all) {
      system_.evaluator().Poll(1 + minimal.size() / 16);
      bool covered = std::any_of(minimal.begin(), minimal.end(), [&](const auto& m) {
        return std::includes(set.begin(), set.end(), m.begin(), m.end());
      });
      if (!covered) minimal.push_back(set);
    }
    nodes_[node].acceptances = std::move(minimal);
    nodes_[node].acceptances_known = true;
  }
  return nodes_[node].acceptances;
}

bool Spec::Accept(const std::vector<std::vector<EventId>>& acceptances, const std::vector<EventId>& initials) {
  return std::any_of(acceptances.begin(), acceptances.end(), [&](const auto& a) {
    return std::includes(initials.begin(), initials.end(), a.begin(), a.end());
  });
}

bool Spec::Accepts(uint32_t node, const std::vector<EventId>& initials) { return Accept(Acceptances(node), initials); }

bool Spec::AcceptsRevivals(uint32_t node, const std::vector<EventId>& initials) {
  if (initials.empty()) return Accepts(node, initials);
  std::vector<EventId> offer;
  std::vector<EventId> found;
  for (uint32_t s : nodes_[node].states) {
    if (!StableOffer(s, offer) || !std::includes(initials.begin(), initials.end(), offer.begin(), offer.end()))
      continue;
    found.insert(found.end(), offer.begin(), offer.end());
  }
  SortUnique(found);
  return found == initials;
}

uint32_t Spec::Restrict(uint32_t node, const std::vector<EventId>& initials) {
  auto known = restricted_.find({node, initials});
  if (known != restricted_.end()) return known->second;
  std::vector<uint32_t> kept;
  std::vector<EventId> offer;
  for (uint32_t s : nodes_[node].states) {
    if (StableOffer(s, offer) && std::includes(initials.begin(), initials.end(), offer.begin(), offer.end())) {
      kept.push_back(s);
    }
  }
  uint32_t result = kept.empty() ? kNone : NodeOf(std::move(kept));
  restricted_.emplace(std::pair(node, initials), result);
  return result;
}

// A state diverges when a cycle of taus can be reached by taus. Depth-first; a state on the path met again closes one.
bool Spec::StateDiverges(uint32_t root) {
  if (states_[root].diverges >= 0) return states_[root].diverges == 1;
  enum : uint8_t { kOnPath = 1, kDone = 2 };
  std::unordered_map<uint32_t, uint8_t> colour;
  std::vector<std::pair<uint32_t, size_t>> path{{root, 0}};
  colour[root] = kOnPath;
  bool found = false;
  while (!path.empty() && !found) {
    uint32_t state = path.back().first;
    const auto& edges = Edges(state);
    size_t& at = path.back().second;
    if (at == edges.size() || edges[at].first != kTau) {  // edges are sorted, taus come first
      colour[state] = kDone;
      states_[state].diverges = 0;
      path.pop_back();
      continue;
    }
    uint32_t target = edges[at++].second;
    if (states_[target].diverges == 1 || colour[target] == kOnPath) found = true;
    if (states_[target].diverges < 0 && colour[target] == 0) {
      colour[target] = kOnPath;
      path.emplace_back(target, 0);
    }
  }
  if (found) {
    for (const auto& [state, at] : path) states_[state].diverges = 1;
  }
  return states_[root].diverges == 1;
}

bool Spec::Diverges(uint32_t node) {
  if (nodes_[node].diverges < 0) {
    bool any = false;
    for (size_t i = 0; !any && i < nodes_[node].states.size(); ++i) any = StateDiverges(nodes_[node].states[i]);
    nodes_[node].diverges = any ? 1 : 0;
  }
  return nodes_[node].diverges == 1;
}

uint64_t Spec::BuildAll() {
  uint64_t hash = 0;
  auto add = [&](uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ull + 1; };
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    for (EventId event : std::vector<EventId>(Initials(node))) {
      add(event);
      add(After(node, event));
    }
    for (const std::vector<EventId>& acceptance : Acceptances(node)) add(acceptance.size());
    add(Diverges(node) ? 1 : 0);
  }
  return hash;
}

}  // namespace heddle::csp
