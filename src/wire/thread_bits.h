// A set of threads of a search, as bits. A value, so that it can stand in an event. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::wire {

// Threads of a search, named by an index that does not depend on the schedule.
inline constexpr uint32_t kMaxExplored = 256;

class ThreadBits {
 public:
  static ThreadBits Of(uint32_t thread) {
    ThreadBits bits;
    bits.Add(thread);
    return bits;
  }
  // All below the thread.
  static ThreadBits Below(uint32_t thread) {
    ThreadBits bits;
    for (uint32_t w = 0; w < kWords && w <= thread / 64; ++w) {
      bits.words_[w] = w < thread / 64 ? ~uint64_t{0} : (uint64_t{1} << thread % 64) - 1;
    }
    return bits;
  }

  bool Has(uint32_t thread) const { return (words_[thread / 64] >> thread % 64 & 1U) != 0; }
  void Add(uint32_t thread) { words_[thread / 64] |= uint64_t{1} << thread % 64; }
  void Remove(uint32_t thread) { words_[thread / 64] &= ~(uint64_t{1} << thread % 64); }
  bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  uint32_t count() const {
    uint32_t count = 0;
    for (uint64_t word : words_) count += static_cast<uint32_t>(__builtin_popcountll(word));
    return count;
  }
  // The smallest; kMaxExplored: none.
  uint32_t First() const {
    for (uint32_t w = 0; w < kWords; ++w) {
      if (words_[w] != 0) return w * 64 + static_cast<uint32_t>(__builtin_ctzll(words_[w]));
    }
    return kMaxExplored;
  }
  // Visits the threads in their order; `visit` may change the set.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (uint32_t w = 0; w < kWords; ++w) {
      for (uint64_t left = words_[w]; left != 0; left &= left - 1) {
        visit(w * 64 + static_cast<uint32_t>(__builtin_ctzll(left)));
      }
    }
  }
  uint64_t word(uint32_t index) const { return words_[index]; }
  void SetWord(uint32_t index, uint64_t word) { words_[index] = word; }

  bool operator==(const ThreadBits&) const = default;
  ThreadBits& operator|=(const ThreadBits& other) {
    for (uint32_t w = 0; w < kWords; ++w) words_[w] |= other.words_[w];
    return *this;
  }
  ThreadBits& operator&=(const ThreadBits& other) {
    for (uint32_t w = 0; w < kWords; ++w) words_[w] &= other.words_[w];
    return *this;
  }
  // Takes those away.
  ThreadBits& operator-=(const ThreadBits& other) {
    for (uint32_t w = 0; w < kWords; ++w) words_[w] &= ~other.words_[w];
    return *this;
  }
  friend ThreadBits operator|(ThreadBits a, const ThreadBits& b) { return a |= b; }
  friend ThreadBits operator&(ThreadBits a, const ThreadBits& b) { return a &= b; }
  friend ThreadBits operator-(ThreadBits a, const ThreadBits& b) { return a -= b; }

  static constexpr uint32_t kWords = kMaxExplored / 64;

 private:
  uint64_t words_[kWords] = {};
};
static_assert(ThreadBits::kWords == 4);

}  // namespace heddle::wire
