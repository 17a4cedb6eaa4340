#include "litmus/model/bits.h"

#include <algorithm>
#include <deque>

namespace heddle::litmus {

void Arena::Clear() {
  current_ = 0;
  used_ = 0;
  if (!blocks_.empty()) {
    block_ = blocks_[0].get();
    size_ = sizes_[0];
  }
}

Word* Arena::Grow(size_t words) {
  // Blocks that an earlier use left behind are taken again before new ones are made.
  while (!blocks_.empty() && current_ + 1 < blocks_.size()) {
    ++current_;
    if (sizes_[current_] >= words) break;
  }
  if (blocks_.empty() || current_ >= blocks_.size() || block_ == blocks_[current_].get() || sizes_[current_] < words) {
    size_t size = std::max<size_t>(words, 4096);
    blocks_.push_back(std::make_unique_for_overwrite<Word[]>(size));
    sizes_.push_back(size);
    current_ = blocks_.size() - 1;
  }
  block_ = blocks_[current_].get();
  size_ = sizes_[current_];
  used_ = words;
  return block_;
}

bool AnyBit(const Word* words, size_t count) {
  Word any = 0;
  for (size_t i = 0; i < count; ++i) any |= words[i];
  return any != 0;
}

void Full(Word* row, Shape shape) {
  for (int w = 0; w < shape.words; ++w) row[w] = ~Word{0};
  int rest = shape.events % 64;
  if (rest != 0) row[shape.words - 1] = (Word{1} << rest) - 1;
}

void ComposeInto(Word* out, const Word* a, const Word* b, Shape shape) {
  for (int i = 0; i < shape.events; ++i) {
    Word* target = Row(out, shape, i);
    ForEach(Row(a, shape, i), shape, [&](int j) {
      const Word* from = Row(b, shape, j);
      for (int w = 0; w < shape.words; ++w) target[w] |= from[w];
    });
  }
}

void InvertInto(Word* out, const Word* a, Shape shape) {
  for (int i = 0; i < shape.events; ++i) {
    ForEach(Row(a, shape, i), shape, [&](int j) { Put(out, shape, j, i); });
  }
}

void CloseTransitively(Word* rel, Shape shape) {
  for (int k = 0; k < shape.events; ++k) {
    const Word* via = Row(rel, shape, k);
    if (!AnyBit(via, shape.SetWords())) continue;
    for (int i = 0; i < shape.events; ++i) {
      Word* row = Row(rel, shape, i);
      if (!Has(row, k)) continue;
      for (int w = 0; w < shape.words; ++w) row[w] |= via[w];
    }
  }
}

void ProductInto(Word* out, const Word* from, const Word* to, Shape shape) {
  for (int i = 0; i < shape.events; ++i) {
    Word* row = Row(out, shape, i);
    if (Has(from, i)) {
      std::memcpy(row, to, shape.SetWords() * sizeof(Word));
    } else {
      std::memset(row, 0, shape.SetWords() * sizeof(Word));
    }
  }
}

bool IsIrreflexive(const Word* rel, Shape shape) {
  for (int i = 0; i < shape.events; ++i) {
    if (Has(rel, shape, i, i)) return false;
  }
  return true;
}

// Takes away events without successors among those that are left, until nothing changes.
bool IsAcyclic(const Word* rel, Shape shape, std::vector<Word>& scratch) {
  scratch.resize(shape.SetWords());
  Full(scratch.data(), shape);
  bool changed = true;
  while (changed) {
    changed = false;
    for (int i = shape.events - 1; i >= 0; --i) {
      if (!Has(scratch.data(), i)) continue;
      const Word* row = Row(rel, shape, i);
      bool blocked = false;
      for (int w = 0; w < shape.words; ++w) blocked = blocked || (row[w] & scratch[static_cast<size_t>(w)]) != 0;
      if (blocked) continue;
      scratch[static_cast<size_t>(i / 64)] &= ~(Word{1} << (i % 64));
      changed = true;
    }
  }
  return !AnyBit(scratch.data(), shape.SetWords());
}

namespace {

// The shortest way from `start` back to itself, by breadth-first search.
std::vector<int> CycleThrough(const Word* rel, Shape shape, int start) {
  std::vector<int> from(static_cast<size_t>(shape.events), -1);
  std::deque<int> queue{start};
  while (!queue.empty()) {
    int e = queue.front();
    queue.pop_front();
    if (Has(rel, shape, e, start)) {
      std::vector<int> cycle{e};
      while (cycle.back() != start) cycle.push_back(from[static_cast<size_t>(cycle.back())]);
      std::reverse(cycle.begin(), cycle.end());
      return cycle;
    }
    ForEach(Row(rel, shape, e), shape, [&](int next) {
      if (next == start || from[static_cast<size_t>(next)] >= 0) return;
      from[static_cast<size_t>(next)] = e;
      queue.push_back(next);
    });
  }
  return {};
}

}  // namespace

std::vector<int> ShortestCycle(const Word* rel, Shape shape) {
  std::vector<int> best;
  for (int e = 0; e < shape.events; ++e) {
    std::vector<int> cycle = CycleThrough(rel, shape, e);
    if (!cycle.empty() && (best.empty() || cycle.size() < best.size())) best = std::move(cycle);
  }
  return best;
}

}  // namespace heddle::litmus
