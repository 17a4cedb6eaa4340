// Vector clocks of the detector: for each thread slot, how much of it happened before. Missing components are zero.
// Memory comes from the arena; a clock owns its components and is freed by Clear. Not locked: the owner sees to that.
#pragma once

#include <cstdint>

#include "runtime/detect/cell.h"

namespace heddle::rt::detect {

class Clock {
 public:
  uint64_t Get(uint32_t slot) const { return slot < size_ ? at_[slot] : 0; }
  bool empty() const { return __atomic_load_n(&size_, __ATOMIC_RELAXED) == 0; }
  uint32_t size() const { return size_; }

  void Set(uint32_t slot, uint64_t value) {
    if (Grow(slot + 1)) at_[slot] = value;
  }
  // True when it learnt something.
  bool Join(const Clock& other) {
    bool changed = false;
    if (!Grow(other.size_)) return false;
    for (uint32_t i = 0; i < other.size_; ++i) {
      if (at_[i] >= other.at_[i]) continue;
      at_[i] = other.at_[i];
      changed = true;
    }
    return changed;
  }
  void Assign(const Clock& other) {
    if (!Grow(other.size_)) return;
    for (uint32_t i = 0; i < other.size_; ++i) at_[i] = other.at_[i];
    for (uint32_t i = other.size_; i < size_; ++i) at_[i] = 0;
    size_ = other.size_;
  }
  // Whether `other` is at least this in every slot.
  bool IsWithin(const Clock& other) const {
    for (uint32_t i = 0; i < size_; ++i) {
      if (at_[i] > other.Get(i)) return false;
    }
    return true;
  }
  void Forget() { size_ = 0; }  // empty, keeps the memory
  void Clear();                 // empty, gives the memory back

 private:
  bool Grow(uint32_t size) {
    if (size <= size_) return true;
    if (size > capacity_ && !Enlarge(size)) return false;
    for (uint32_t i = size_; i < size; ++i) at_[i] = 0;
    size_ = size;
    return true;
  }
  bool Enlarge(uint32_t size);

  uint64_t* at_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

}  // namespace heddle::rt::detect
