// Relations over the numbers below N, as sets of successors: for definitions that are written as relations, where the
// sets are small.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>

namespace heddle {

template <size_t N>
using Relation = std::array<std::bitset<N>, N>;

template <size_t N>
Relation<N> Compose(const Relation<N>& a, const Relation<N>& b) {
  Relation<N> result{};
  for (size_t i = 0; i < N; ++i) {
    for (size_t j = 0; j < N; ++j) {
      if (a[i][j]) result[i] |= b[j];
    }
  }
  return result;
}

template <size_t N>
Relation<N> Union(Relation<N> a, const Relation<N>& b) {
  for (size_t i = 0; i < N; ++i) a[i] |= b[i];
  return a;
}

// With every number related to itself.
template <size_t N>
Relation<N> Reflexive(Relation<N> a) {
  for (size_t i = 0; i < N; ++i) a[i].set(i);
  return a;
}

// The smallest transitive relation around it.
template <size_t N>
Relation<N> Closure(Relation<N> a) {
  for (size_t k = 0; k < N; ++k) {
    for (size_t i = 0; i < N; ++i) {
      if (a[i][k]) a[i] |= a[k];
    }
  }
  return a;
}

template <size_t N>
bool Irreflexive(const Relation<N>& a) {
  for (size_t i = 0; i < N; ++i) {
    if (a[i][i]) return false;
  }
  return true;
}

template <size_t N>
Relation<N> Restrict(const std::bitset<N>& from, const Relation<N>& a, const std::bitset<N>& to) {
  Relation<N> result{};
  for (size_t i = 0; i < N; ++i) {
    if (from[i]) result[i] = a[i] & to;
  }
  return result;
}

}  // namespace heddle
