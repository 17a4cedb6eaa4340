// A set of thread slots (strategy.h), as bits. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::sched {

inline constexpr uint32_t kMaxSlots = 4096;  // threads alive at one time
inline constexpr uint32_t kNoSlot = UINT32_MAX;

class ThreadSet {
 public:
  void Add(uint32_t slot) {
    uint64_t bit = uint64_t{1} << (slot % 64);
    uint64_t& word = words_[slot / 64];
    if ((word & bit) == 0) ++count_;
    word |= bit;
    if (slot / 64 >= used_) used_ = slot / 64 + 1;
  }
  void Remove(uint32_t slot) {
    uint64_t bit = uint64_t{1} << (slot % 64);
    uint64_t& word = words_[slot / 64];
    if ((word & bit) != 0) --count_;
    word &= ~bit;
  }
  void Clear() {
    for (uint32_t w = 0; w < used_; ++w) words_[w] = 0;
    used_ = count_ = 0;
  }
  bool Has(uint32_t slot) const { return (words_[slot / 64] >> (slot % 64) & 1U) != 0; }
  uint32_t count() const { return count_; }
  // The slots from 64 * index on, as bits.
  uint64_t word(uint32_t index) const { return words_[index]; }
  bool empty() const { return count_ == 0; }

  // The element with `index` smaller ones; index < count().
  uint32_t Nth(uint32_t index) const {
    for (uint32_t w = 0; w < used_; ++w) {
      uint64_t word = words_[w];
      auto here = static_cast<uint32_t>(__builtin_popcountll(word));
      if (index >= here) {
        index -= here;
        continue;
      }
      for (; index > 0; --index) word &= word - 1;
      return w * 64 + static_cast<uint32_t>(__builtin_ctzll(word));
    }
    return kNoSlot;
  }

  // The smallest element that is at least `slot`, else kNoSlot.
  uint32_t From(uint32_t slot) const {
    for (uint32_t w = slot / 64; w < used_; ++w) {
      uint64_t word = words_[w];
      if (w == slot / 64) word &= ~uint64_t{0} << (slot % 64);
      if (word != 0) return w * 64 + static_cast<uint32_t>(__builtin_ctzll(word));
    }
    return kNoSlot;
  }
  uint32_t First() const { return From(0); }

  template <typename Visit>
  void ForEach(Visit visit) const {
    for (uint32_t w = 0; w < used_; ++w) {
      for (uint64_t word = words_[w]; word != 0; word &= word - 1) {
        visit(w * 64 + static_cast<uint32_t>(__builtin_ctzll(word)));
      }
    }
  }

 private:
  uint64_t words_[kMaxSlots / 64] = {};
  uint32_t used_ = 0;  // words that ever had an element
  uint32_t count_ = 0;
};

}  // namespace heddle::sched
