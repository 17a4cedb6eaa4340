// Stubborn sets: which leaves' steps suffice in a state.
//
// Valmari's construction on rules: begin with one leaf; for each rule it would take part in now, add all its parts when
// the rule is possible, else one part that holds it back; for each rule that would replace the leaf, add a part that
// holds that one back. When the possible rules of the set are all silent and keep the format, nothing outside the set
// can disturb or be disturbed by them, and the rest may wait. Every trace and every stable state (so every failure and
// every deadlock) is still reached, provided that no step waits for ever; the search sees to that by expanding a state
// in full when all the reduced successors are old.
#pragma once

#include <vector>

#include "csp/refine/packed.h"

namespace heddle::csp {

template <int W>
class Reduction {
 public:
  // True with `chosen` set (by leaf) when a proper reduction was found for the state.
  bool Find(const PackedFormat& p, const Key<W>& key, std::vector<uint8_t>& chosen) {
    const Format& format = *p.format;
    if (format.lazy || format.grows || format.prioritised || !format.free_rules.empty()) return false;
    if (p.fields.size() < 2) return false;
    for (uint32_t leaf = 0; leaf < p.fields.size(); ++leaf) {
      chosen.assign(p.fields.size(), 0);
      if (Close(p, key, leaf, chosen)) return true;
    }
    return false;
  }

 private:
  static uint32_t StateOf(const PackedFormat& p, const Key<W>& key, uint32_t leaf) {
    const PackedFormat::Field& f = p.fields[leaf];
    return static_cast<uint32_t>(key[f.word] >> f.shift & f.mask);
  }

  static bool Offers(const PackedFormat& p, const Key<W>& key, const Rule::Part& part) {
    const Machine& machine = *p.format->leaves[part.leaf].machine;
    uint32_t state = StateOf(p, key, part.leaf);
    if (part.event == kOmegaEvent) return machine.omega == static_cast<int64_t>(state);
    for (uint32_t e = machine.first[state]; e < machine.first[state + 1]; ++e) {
      if (machine.edges[e].event == part.event) return true;
    }
    return false;
  }

  void Add(uint32_t leaf, std::vector<uint8_t>& chosen) {
    if (chosen[leaf] != 0) return;
    chosen[leaf] = 1;
    todo_.push_back(leaf);
  }

  // The part that keeps the rule from happening: one that is chosen already if there is one. -1: it is possible.
  static int HeldBackBy(const PackedFormat& p, const Key<W>& key, const Rule& rule,
                        const std::vector<uint8_t>& chosen) {
    int holder = -1;
    for (const Rule::Part& part : rule.parts) {
      if (Offers(p, key, part)) continue;
      if (chosen[part.leaf] != 0) return static_cast<int>(part.leaf);
      if (holder < 0) holder = static_cast<int>(part.leaf);
    }
    return holder;
  }

  bool Close(const PackedFormat& p, const Key<W>& key, uint32_t start, std::vector<uint8_t>& chosen) {
    bool possible = false;
    todo_.clear();
    Add(start, chosen);
    while (!todo_.empty()) {
      uint32_t leaf = todo_.back();
      todo_.pop_back();
      if (p.format->leaves[leaf].machine->has_boundary) return false;
      for (uint32_t r : p.touched[leaf]) {
        int holder = HeldBackBy(p, key, p.format->rules[r], chosen);
        if (holder < 0) return false;
        Add(static_cast<uint32_t>(holder), chosen);
      }
      uint32_t state = StateOf(p, key, leaf);
      for (uint32_t i = p.involved_first[leaf][state]; i < p.involved_first[leaf][state + 1]; ++i) {
        const Rule& rule = p.format->rules[p.involved[leaf][i]];
        int holder = HeldBackBy(p, key, rule, chosen);
        if (holder >= 0) {
          Add(static_cast<uint32_t>(holder), chosen);
          continue;
        }
        if (rule.event != kTau || !rule.changes.empty()) return false;
        possible = true;
        for (const Rule::Part& part : rule.parts) Add(part.leaf, chosen);
      }
    }
    return possible;
  }

  std::vector<uint32_t> todo_;
};

}  // namespace heddle::csp
