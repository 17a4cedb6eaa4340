// Vector clocks: for each thread, how much of it happened before. Missing components are zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle {

class VectorClock {
 public:
  uint32_t Get(uint32_t thread) const { return thread < clock_.size() ? clock_[thread] : 0; }

  void Set(uint32_t thread, uint32_t value) {
    if (thread >= clock_.size()) clock_.resize(thread + 1);
    clock_[thread] = value;
  }

  void Tick(uint32_t thread) { Set(thread, Get(thread) + 1); }

  void Join(const VectorClock& other) {
    if (other.clock_.size() > clock_.size()) clock_.resize(other.clock_.size());
    for (size_t i = 0; i < other.clock_.size(); ++i) clock_[i] = std::max(clock_[i], other.clock_[i]);
  }

  size_t size() const { return clock_.size(); }
  bool empty() const { return clock_.empty(); }
  void Clear() { clock_.clear(); }

 private:
  std::vector<uint32_t> clock_;
};

}  // namespace heddle
