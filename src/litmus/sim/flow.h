// What a value was computed from: the events of the thread that read it, or that the registers and, on AArch64, the
// memory on the way were read by.
//
// AArch64 knows two kinds of dependency. A basic one goes through what is computed. A pick dependency may also go from
// what decides a selection (the flags of CSEL, the comparison of CAS) to what was selected: hardware may guess the
// decision, so it orders less. Every basic dependency is a pick dependency too.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "litmus/sim/values.h"

namespace heddle::litmus {

// A set of events of the thread.
using Deps = std::vector<uint64_t>;

inline void AddDep(Deps& deps, size_t event) {
  if (deps.size() <= event / 64) deps.resize(event / 64 + 1, 0);
  deps[event / 64] |= uint64_t{1} << (event % 64);
}

inline void Join(Deps& into, const Deps& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (size_t i = 0; i < from.size(); ++i) into[i] |= from[i];
}

template <typename F>
void Each(const Deps& deps, F&& f) {
  for (size_t w = 0; w < deps.size(); ++w) {
    for (uint64_t bits = deps[w]; bits != 0; bits &= bits - 1) {
      f(static_cast<int>(w * 64 + static_cast<size_t>(std::countr_zero(bits))));
    }
  }
}

struct Flow {
  Deps deps;
  Deps pick;      // empty where the language has no selections
  Reads through;  // reads that the value passed through

  void Add(const Flow& other) {
    Join(deps, other.deps);
    Join(pick, other.pick);
    through |= other.through;
  }
  // Only its events: the value itself does not come from there.
  void AddEvents(const Flow& other) {
    Join(deps, other.deps);
    Join(pick, other.pick);
  }
};

}  // namespace heddle::litmus
