// Compressions of explicit transition systems.
//
// - kTauLoops: states on a common cycle of taus become one, with a tau to itself (Tarjan's strongly connected
//   components of the tau edges).
// - kDelay, kWeak: after kTauLoops, strong bisimulation of the saturated system, in which s -a-> t stands for
//   tau* a (delay) or tau* a tau* (weak), s -tau-> t for tau*, and a state that can diverge has a mark of its own. The
//   quotient has the edges of the original (van Glabbeek, "The Linear Time - Branching Time Spectrum II", 1993).
// - kDiamond: after kTauLoops, a state gets the visible edges of all states that it reaches by taus; of its taus only
//   those to stable states with minimal offers remain (Roscoe, "The Theory and Practice of Concurrency", appendix C).
// - kNormal: one node for each set of states after the same trace; where such a node may refuse something that it may
//   also do, taus lead to one state for each minimal offer.
//
// kDiamond and kNormal keep traces, failures and divergences; the others keep every model. What would be larger than
// the strong quotient is not used. The test compares verdicts with and without on random networks.
#include "csp/lts/compress.h"

#include <algorithm>
#include <map>
#include <set>

#include "csp/large_stack.h"
#include "csp/lts/bisim.h"

namespace heddle::csp {
namespace {

using Edge = ExplicitLts::Edge;
using Poll = std::function<void()>;

constexpr size_t kMaxSaturated = 20'000'000;  // edges of a saturated system; beyond it the strong quotient is used
constexpr EventId kDivergent = ~0u - 1;       // the mark of a state that can diverge

struct TooLarge {};

[[noreturn]] void GiveUp() {
  AboutToThrow();
  throw TooLarge{};
}

// Components of the tau edges, numbered so that the first state's is found by `of[0]`; iterative Tarjan.
std::vector<uint32_t> TauComponents(const ExplicitLts& lts) {
  size_t n = lts.states.size();
  std::vector<uint32_t> index(n, 0);
  std::vector<uint32_t> low(n, 0);
  std::vector<uint32_t> of(n, ~0u);
  std::vector<uint32_t> stack;
  uint32_t next = 1;
  uint32_t count = 0;
  for (uint32_t root = 0; root < n; ++root) {
    if (index[root] != 0) continue;
    std::vector<std::pair<uint32_t, size_t>> path{{root, 0}};
    index[root] = low[root] = next++;
    stack.push_back(root);
    while (!path.empty()) {
      auto& [s, at] = path.back();
      if (at < lts.states[s].size()) {
        const Edge& edge = lts.states[s][at++];
        if (edge.event != kTau) continue;
        uint32_t t = edge.target;
        if (index[t] == 0) {
          index[t] = low[t] = next++;
          stack.push_back(t);
          path.emplace_back(t, 0);
        } else if (of[t] == ~0u) {
          low[s] = std::min(low[s], index[t]);
        }
        continue;
      }
      uint32_t done = s;
      path.pop_back();
      if (!path.empty()) low[path.back().first] = std::min(low[path.back().first], low[done]);
      if (low[done] != index[done]) continue;
      uint32_t member = 0;
      do {
        member = stack.back();
        stack.pop_back();
        of[member] = count;
      } while (member != done);
      ++count;
    }
  }
  return of;
}

// Names classes in the order of their first member: the initial state stays number 0.
void Renumber(std::vector<uint32_t>& classes) {
  std::map<uint32_t, uint32_t> name;
  for (uint32_t& c : classes) c = name.try_emplace(c, static_cast<uint32_t>(name.size())).first->second;
}

ExplicitLts FactorTauLoops(const ExplicitLts& lts) {
  std::vector<uint32_t> classes = TauComponents(lts);
  Renumber(classes);
  return Quotient(lts, classes);
}

// tau*-reachable states of each state, itself included. Taus form no cycles but self-loops.
std::vector<std::vector<uint32_t>> TauReach(const ExplicitLts& lts, const Poll& poll) {
  std::vector<std::vector<uint32_t>> reach(lts.states.size());
  size_t total = 0;
  for (uint32_t s = 0; s < lts.states.size(); ++s) {
    if ((s & 0xFF) == 0) poll();
    std::vector<uint32_t>& out = reach[s];
    std::set<uint32_t> seen{s};
    out.push_back(s);
    for (size_t at = 0; at < out.size(); ++at) {
      for (const Edge& edge : lts.states[out[at]]) {
        if (edge.event == kTau && seen.insert(edge.target).second) out.push_back(edge.target);
      }
    }
    total += out.size();
    if (total > kMaxSaturated) GiveUp();
  }
  return reach;
}

bool HasSelfTau(const ExplicitLts& lts, uint32_t s) {
  return std::any_of(lts.states[s].begin(), lts.states[s].end(),
                     [&](const Edge& e) { return e.event == kTau && e.target == s; });
}

ExplicitLts Saturate(const ExplicitLts& lts, bool weak, const Poll& poll) {
  std::vector<std::vector<uint32_t>> reach = TauReach(lts, poll);
  ExplicitLts result;
  size_t total = 0;
  for (uint32_t s = 0; s < lts.states.size(); ++s) {
    if ((s & 0xFF) == 0) poll();
    std::vector<Edge> edges;
    for (uint32_t via : reach[s]) {
      edges.push_back({kTau, via});
      if (HasSelfTau(lts, via)) edges.push_back({kDivergent, 0});
      for (const Edge& edge : lts.states[via]) {
        if (edge.event == kTau) continue;
        if (!weak || edge.event == kTick) {
          edges.push_back(edge);
          continue;
        }
        for (uint32_t end : reach[edge.target]) edges.push_back({edge.event, end});
      }
      if (total + edges.size() > kMaxSaturated) GiveUp();
    }
    SortEdges(edges);
    total += edges.size();
    result.states.push_back(std::move(edges));
  }
  return result;
}

// A mark leads to state 0 only in name: every class sees it the same way, whatever block state 0 is in.
ExplicitLts Weakly(const ExplicitLts& lts, bool weak, const Poll& poll) {
  ExplicitLts factored = FactorTauLoops(lts);
  ExplicitLts saturated = Saturate(factored, weak, poll);
  return Quotient(factored, BisimulationClasses(saturated, poll), true);
}

std::vector<EventId> OffersOf(const std::vector<Edge>& edges, bool& stable) {
  std::vector<EventId> offers;
  stable = true;
  for (const Edge& edge : edges) {
    stable &= edge.event != kTau;
    if (offers.empty() || offers.back() != edge.event) offers.push_back(edge.event);
  }
  return offers;
}

// Of several states with their offers (sorted), those whose offers include no other's; of equal offers all.
void KeepMinimal(std::vector<std::pair<std::vector<EventId>, uint32_t>>& offers, const Poll& poll) {
  auto below = [](const auto& a, const auto& b) {
    return a.size() < b.size() && std::includes(b.begin(), b.end(), a.begin(), a.end());
  };
  std::vector<std::pair<std::vector<EventId>, uint32_t>> kept;
  for (const auto& one : offers) {
    if (offers.size() > 100) poll();
    bool covered = std::any_of(offers.begin(), offers.end(), [&](const auto& o) { return below(o.first, one.first); });
    if (!covered) kept.push_back(one);
  }
  offers = std::move(kept);
}

// Drops what the first state does not reach.
ExplicitLts Reachable(const ExplicitLts& lts) {
  std::vector<uint32_t> number(lts.states.size(), ~0u);
  std::vector<uint32_t> order{0};
  number[0] = 0;
  for (size_t at = 0; at < order.size(); ++at) {
    for (const Edge& edge : lts.states[order[at]]) {
      if (edge.event == kTick || number[edge.target] != ~0u) continue;
      number[edge.target] = static_cast<uint32_t>(order.size());
      order.push_back(edge.target);
    }
  }
  ExplicitLts result;
  for (uint32_t s : order) {
    std::vector<Edge> edges = lts.states[s];
    for (Edge& edge : edges) edge.target = edge.event == kTick ? 0 : number[edge.target];
    SortEdges(edges);
    result.states.push_back(std::move(edges));
  }
  return result;
}

ExplicitLts Diamond(const ExplicitLts& lts, const Poll& poll) {
  ExplicitLts factored = FactorTauLoops(lts);
  std::vector<std::vector<uint32_t>> reach = TauReach(factored, poll);
  ExplicitLts result;
  for (uint32_t s = 0; s < factored.states.size(); ++s) {
    if ((s & 0xFF) == 0) poll();
    std::vector<Edge> edges;
    std::vector<std::pair<std::vector<EventId>, uint32_t>> stable_states;
    for (uint32_t via : reach[s]) {
      bool stable = false;
      std::vector<EventId> offers = OffersOf(factored.states[via], stable);
      if (stable && via != s) stable_states.emplace_back(std::move(offers), via);
      if (HasSelfTau(factored, via)) edges.push_back({kTau, s});
      for (const Edge& edge : factored.states[via]) {
        if (edge.event != kTau) edges.push_back(edge);
      }
    }
    KeepMinimal(stable_states, poll);
    for (const auto& [offers, state] : stable_states) edges.push_back({kTau, state});
    SortEdges(edges);
    result.states.push_back(std::move(edges));
  }
  return Reachable(result);
}

// Subset construction shared by kNormal and TraceDeterministic.
class Subsets {
 public:
  Subsets(const ExplicitLts& lts, size_t limit, const Poll& poll) : lts_(lts), limit_(limit), poll_(poll) {
    NodeOf({0});
  }

  size_t size() const { return nodes_.size(); }
  const std::vector<uint32_t>& Members(size_t node) const { return nodes_[node]; }

  // Targets by event; tick leads to node 0 in name only.
  std::map<EventId, uint32_t> Next(size_t node) {
    std::map<EventId, std::vector<uint32_t>> targets;
    for (uint32_t s : nodes_[node]) {
      for (const Edge& edge : lts_.states[s]) {
        if (edge.event != kTau) targets[edge.event].push_back(edge.target);
      }
    }
    std::map<EventId, uint32_t> next;
    for (auto& [event, states] : targets) next[event] = event == kTick ? 0 : NodeOf(std::move(states));
    return next;
  }

 private:
  uint32_t NodeOf(std::vector<uint32_t> states) {
    poll_();
    std::set<uint32_t> closed(states.begin(), states.end());
    for (size_t at = 0; at < states.size(); ++at) {
      for (const Edge& edge : lts_.states[states[at]]) {
        if (edge.event == kTau && closed.insert(edge.target).second) states.push_back(edge.target);
      }
    }
    std::vector<uint32_t> key(closed.begin(), closed.end());
    auto [it, fresh] = numbers_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (fresh && nodes_.size() >= limit_) GiveUp();
    if (fresh) nodes_.push_back(std::move(key));
    return it->second;
  }

  const ExplicitLts& lts_;
  size_t limit_;
  const Poll& poll_;
  std::vector<std::vector<uint32_t>> nodes_;
  std::map<std::vector<uint32_t>, uint32_t> numbers_;
};

ExplicitLts Normal(const ExplicitLts& lts, const Poll& poll) {
  ExplicitLts factored = FactorTauLoops(lts);
  Subsets subsets(factored, factored.states.size(), poll);
  ExplicitLts result;
  std::vector<std::vector<std::vector<EventId>>> refusing;  // by node: the minimal offers, where there are several
  for (size_t node = 0; node < subsets.size(); ++node) {
    std::vector<Edge> edges;
    std::map<EventId, uint32_t> next = subsets.Next(node);
    for (const auto& [event, target] : next) edges.push_back({event, target});
    std::vector<std::pair<std::vector<EventId>, uint32_t>> offers;
    bool diverges = false;
    for (uint32_t s : subsets.Members(node)) {
      bool stable = false;
      std::vector<EventId> offer = OffersOf(factored.states[s], stable);
      bool ticks = std::find(offer.begin(), offer.end(), kTick) != offer.end();
      if (ticks) offer = {kTick};  // it may refuse everything else
      if (stable || ticks) offers.emplace_back(std::move(offer), 0);
      diverges |= HasSelfTau(factored, s);
    }
    KeepMinimal(offers, poll);
    if (diverges) edges.push_back({kTau, static_cast<uint32_t>(node)});
    std::set<std::vector<EventId>> distinct;
    for (auto& [offer, unused] : offers) distinct.insert(offer);
    bool plain = !diverges && distinct.size() == 1 && distinct.begin()->size() == next.size();
    refusing.emplace_back();
    if (!plain) refusing.back().assign(distinct.begin(), distinct.end());
    // A node without a stable member that does not diverge cannot be: taus end somewhere.
    result.states.push_back(std::move(edges));
  }
  size_t nodes = result.states.size();
  for (size_t node = 0; node < nodes; ++node) {
    for (const std::vector<EventId>& offer : refusing[node]) {
      std::vector<Edge> edges;
      for (const Edge& edge : result.states[node]) {
        if (std::binary_search(offer.begin(), offer.end(), edge.event)) edges.push_back(edge);
      }
      result.states[node].push_back({kTau, static_cast<uint32_t>(result.states.size())});
      result.states.push_back(std::move(edges));
    }
  }
  return Reachable(result);
}

bool Smaller(const ExplicitLts& a, const ExplicitLts& b) {
  return a.states.size() != b.states.size() ? a.states.size() < b.states.size() : EdgeCount(a) < EdgeCount(b);
}

}  // namespace

size_t EdgeCount(const ExplicitLts& lts) {
  size_t count = 0;
  for (const auto& edges : lts.states) count += edges.size();
  return count;
}

bool TraceDeterministic(const ExplicitLts& lts, size_t limit, const Poll& poll, ExplicitLts& result) {
  try {
    Subsets subsets(lts, limit, poll);
    for (size_t node = 0; node < subsets.size(); ++node) {
      std::vector<Edge> edges;
      for (const auto& [event, target] : subsets.Next(node)) edges.push_back({event, target});
      result.states.push_back(std::move(edges));
    }
    return true;
  } catch (const TooLarge&) {
    return false;
  }
}

ExplicitLts Compress(const ExplicitLts& lts, Compression how, bool all_models, const Poll& poll) {
  if (how == Compression::kNone) return lts;
  auto strong = [&](const ExplicitLts& l) { return Reachable(Quotient(l, BisimulationClasses(l, poll))); };
  ExplicitLts best = strong(lts);
  if (how == Compression::kStrong) return best;
  bool risky = how == Compression::kDiamond || how == Compression::kNormal || how == Compression::kBest;
  if (all_models && risky) how = Compression::kDelay;
  auto offer = [&](auto&& make) {
    try {
      ExplicitLts made = strong(make());
      if (Smaller(made, best)) best = std::move(made);
    } catch (const TooLarge&) {
      return;  // what there is already is used
    }
  };
  if (how == Compression::kTauLoops) offer([&] { return FactorTauLoops(best); });
  if (how == Compression::kDelay) offer([&] { return Weakly(best, false, poll); });
  if (how == Compression::kWeak || how == Compression::kBest) offer([&] { return Weakly(best, true, poll); });
  if (how == Compression::kDiamond || how == Compression::kBest) offer([&] { return Diamond(best, poll); });
  if (how == Compression::kNormal || how == Compression::kBest) offer([&] { return Normal(best, poll); });
  return best;
}

}  // namespace heddle::csp
