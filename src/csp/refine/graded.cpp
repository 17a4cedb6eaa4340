#include "csp/refine/graded.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace heddle::csp {
namespace {

// The neighbours of each state with the difference of ranks that an edge demands.
std::vector<std::vector<std::pair<uint32_t, int64_t>>> Neighbours(const Machine& machine) {
  std::vector<std::vector<std::pair<uint32_t, int64_t>>> out(machine.size());
  for (uint32_t s = 0; s < machine.size(); ++s) {
    for (uint32_t e = machine.first[s]; e < machine.first[s + 1]; ++e) {
      uint32_t t = machine.edges[e].target;
      out[s].emplace_back(t, 1);
      out[t].emplace_back(s, -1);
    }
  }
  return out;
}

// Chooses leaves, the longest first, so that no rule moves two of them.
std::vector<bool> ChooseLeaves(const Format& format) {
  std::map<const Machine*, bool> ranked;
  std::vector<uint32_t> order;
  for (uint32_t leaf = 0; leaf < format.leaves.size(); ++leaf) {
    const Machine* machine = format.leaves[leaf].machine;
    auto [known, fresh] = ranked.try_emplace(machine, false);
    if (fresh) known->second = HasRanks(*machine);
    if (known->second) order.push_back(leaf);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(format.leaves[b].machine->size(), a) < std::pair(format.leaves[a].machine->size(), b);
  });
  std::vector<std::vector<const Rule*>> rules(format.leaves.size());
  for (const Rule& rule : format.rules) {
    for (const Rule::Part& part : rule.parts) {
      if (rule.changes.empty() && part.event != kOmegaEvent) rules[part.leaf].push_back(&rule);
    }
  }
  std::vector<bool> chosen(format.leaves.size(), false);
  for (uint32_t leaf : order) {
    chosen[leaf] = std::none_of(rules[leaf].begin(), rules[leaf].end(), [&](const Rule* rule) {
      return std::any_of(rule->parts.begin(), rule->parts.end(),
                         [&](const Rule::Part& part) { return part.event != kOmegaEvent && chosen[part.leaf]; });
    });
  }
  return chosen;
}

}  // namespace

bool HasRanks(const Machine& machine) {
  auto neighbours = Neighbours(machine);
  std::vector<std::optional<int64_t>> rank(machine.size());
  std::vector<uint32_t> open;
  for (uint32_t start = 0; start < machine.size(); ++start) {
    if (rank[start]) continue;
    rank[start] = 0;
    open.push_back(start);
    while (!open.empty()) {
      uint32_t s = open.back();
      open.pop_back();
      for (auto [t, difference] : neighbours[s]) {
        int64_t wanted = *rank[s] + difference;
        if (rank[t] && *rank[t] != wanted) return false;
        if (rank[t]) continue;
        rank[t] = wanted;
        open.push_back(t);
      }
    }
  }
  return true;
}

bool IsGraded(const Format& format) {
  if (format.lazy || format.grows) return false;
  std::vector<bool> chosen = ChooseLeaves(format);
  return std::all_of(format.rules.begin(), format.rules.end(), [&](const Rule& rule) {
    if (!rule.changes.empty()) return true;
    return std::count_if(rule.parts.begin(), rule.parts.end(),
                         [&](const Rule::Part& part) { return part.event != kOmegaEvent && chosen[part.leaf]; }) == 1;
  });
}

}  // namespace heddle::csp
