#include "csp/lts/growing.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace heddle::csp {
namespace {

constexpr size_t kBytesAround = 80;  // of an entry in a hash table

}  // namespace

bool Growing::Fits(const Format& format) {
  if (format.lazy || format.prioritised) return false;
  bool fixed = std::all_of(format.rules.begin(), format.rules.end(),
                           [](const Rule& rule) { return rule.changes.empty() || rule.event == kTick; });
  return fixed && std::all_of(format.leaves.begin(), format.leaves.end(), [](const Format::Leaf& leaf) {
           return leaf.machine->growing == nullptr && !leaf.machine->has_boundary;
         });
}

Growing::Growing(System& system, const Format& format) : system_(system), format_(format) {
  size_t largest = 0;
  for (const Format::Leaf& leaf : format.leaves) largest = std::max(largest, leaf.machine->size());
  while (bytes_ < 4 && largest > size_t{1} << (8 * bytes_)) ++bytes_;
  std::map<std::pair<uint32_t, EventId>, uint32_t> rows;
  std::vector<uint32_t> targets;
  for (uint32_t r = 0; r < format.rules.size(); ++r) {
    const Rule& rule = format.rules[r];
    std::vector<uint32_t>& mine = rule_rows_.emplace_back();
    for (const Rule::Part& part : rule.parts) {
      auto [it, fresh] = rows.try_emplace({part.leaf, part.event}, static_cast<uint32_t>(rows_.size()));
      mine.push_back(it->second);
      if (!fresh) continue;
      Row& row = rows_.emplace_back();
      row.leaf = part.leaf;
      const Machine& machine = *format.leaves[part.leaf].machine;
      for (uint32_t s = 0; s < machine.size(); ++s) {
        row.first.push_back(static_cast<uint32_t>(row.targets.size()));
        machine.Targets(s, part.event, targets);
        row.targets.insert(row.targets.end(), targets.begin(), targets.end());
      }
      row.first.push_back(static_cast<uint32_t>(row.targets.size()));
    }
    if (rule.event == kTau) {
      taus_.push_back(r);
    } else {
      by_event_[rule.event].push_back(r);
    }
  }
  machine_.growing = this;
  machine_.alphabet.push_back(kTau);  // of a state that diverges
  for (const auto& [event, rules] : by_event_) machine_.alphabet.push_back(event);
  std::sort(machine_.alphabet.begin(), machine_.alphabet.end());
  machine_.omega = by_event_.count(kTick) != 0 ? int64_t{kOmegaState} : -1;
  states_.emplace_back();  // Omega
  diverges_.push_back(false);
}

uint32_t Growing::Intern(const std::vector<uint32_t>& leaves, bool diverges) {
  std::string text(leaves.size() * bytes_ + 1, '\0');
  for (size_t i = 0; i < leaves.size(); ++i) std::memcpy(text.data() + i * bytes_, &leaves[i], bytes_);
  text.back() = diverges ? '\1' : '\0';
  auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  uint32_t number = static_cast<uint32_t>(states_.size());
  states_.push_back(std::move(text));
  diverges_.push_back(diverges);
  numbers_.emplace(states_.back(), number);
  system_.AddGrownBytes(kBytesAround + states_.back().size());
  return number;
}

std::vector<uint32_t> Growing::Leaves(uint32_t state) const {
  std::vector<uint32_t> leaves(format_.leaves.size(), 0);
  for (size_t i = 0; i < leaves.size(); ++i) std::memcpy(&leaves[i], states_[state].data() + i * bytes_, bytes_);
  return leaves;
}

bool Growing::Possible(const std::vector<uint32_t>& rows, const std::vector<uint32_t>& leaves) const {
  return std::all_of(rows.begin(), rows.end(), [&](uint32_t r) {
    const Row& row = rows_[r];
    uint32_t s = leaves[row.leaf];
    return row.first[s] != row.first[s + 1];
  });
}

// Follows the first tau for as long as there is one; true when that never ends.
bool Growing::Settle(std::vector<uint32_t>& leaves) {
  constexpr size_t kFree = 64;  // steps before the states are remembered
  std::set<std::vector<uint32_t>> seen;
  for (size_t steps = 0;; ++steps) {
    system_.evaluator().Poll();
    auto tau = std::find_if(taus_.begin(), taus_.end(), [&](uint32_t r) { return Possible(rule_rows_[r], leaves); });
    if (tau == taus_.end()) return false;
    if (steps >= kFree && !seen.insert(leaves).second) return true;
    std::vector<uint32_t> before = leaves;
    for (uint32_t r : rule_rows_[*tau]) {
      const Row& row = rows_[r];
      leaves[row.leaf] = row.targets[row.first[before[row.leaf]]];
    }
  }
}

uint32_t Growing::Number(std::vector<uint32_t> leaves) {
  bool diverges = Settle(leaves);
  return Intern(leaves, diverges);
}

const std::vector<uint32_t>& Growing::Targets(uint32_t state, EventId event) {
  auto [known, fresh] = known_.try_emplace(uint64_t{state} << 32 | event);
  std::vector<uint32_t>& out = known->second;  // stays where it is when the map grows
  if (!fresh) return out;
  system_.AddGrownBytes(kBytesAround);
  if (event == kOmegaEvent) {
    if (state == kOmegaState) out.push_back(state);
    return out;
  }
  if (state == kOmegaState) return out;
  if (diverges_[state]) {
    if (event == kTau) out.push_back(state);
    return out;
  }
  auto rules = by_event_.find(event);
  if (rules == by_event_.end()) return out;
  std::vector<uint32_t> leaves = Leaves(state);
  for (uint32_t rule : rules->second) {
    const std::vector<uint32_t>& rows = rule_rows_[rule];
    if (!Possible(rows, leaves)) continue;
    if (event == kTick) {
      out.assign(1, kOmegaState);
      return out;
    }
    std::vector<uint32_t> at(rows.size(), 0);
    while (true) {
      std::vector<uint32_t> next = leaves;
      size_t i = 0;
      for (; i < rows.size(); ++i) {
        const Row& row = rows_[rows[i]];
        next[row.leaf] = row.targets[row.first[leaves[row.leaf]] + at[i]];
      }
      uint32_t target = Number(std::move(next));
      if (std::find(out.begin(), out.end(), target) == out.end()) out.push_back(target);
      for (i = 0; i < rows.size(); ++i) {
        const Row& row = rows_[rows[i]];
        uint32_t s = leaves[row.leaf];
        if (++at[i] < row.first[s + 1] - row.first[s]) break;
        at[i] = 0;
      }
      if (i == rows.size()) break;
    }
  }
  return out;
}

}  // namespace heddle::csp
