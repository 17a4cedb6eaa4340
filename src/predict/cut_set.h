// The cuts that a search has visited: exact, packed into as few bits as the bounds of the positions need, in one open
// table. A cut of up to 64 bits costs at most 20 bytes (the table is at least two fifths full once it has grown).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace heddle::predict {

class CutSet {
 public:
  // `bounds[i]`: the greatest value of field i.
  explicit CutSet(const std::vector<uint32_t>& bounds) {
    uint32_t used = 0;
    for (uint32_t bound : bounds) {
      auto bits = static_cast<uint32_t>(std::bit_width(bound));
      if (used % 64 + bits > 64) used += 64 - used % 64;
      fields_.push_back({used / 64, used % 64});
      used += bits;
    }
    // The marker of an empty slot must not be a cut: there is at least one bit to spare in the last word.
    words_ = used / 64 + 1;
    key_.resize(words_);
    slots_.assign(kFirstSlots * words_, kEmpty);
  }

  size_t size() const { return count_; }
  size_t bytes() const { return slots_.size() * sizeof(uint64_t); }

  // Adds the cut; false when it was there.
  bool Insert(const std::vector<uint32_t>& values) {
    if ((count_ + 1) * 5 > (slots_.size() / words_) * 4) Grow();
    std::fill(key_.begin(), key_.end(), 0);
    for (size_t i = 0; i < fields_.size(); ++i) {
      key_[fields_[i].word] |= static_cast<uint64_t>(values[i]) << fields_[i].shift;
    }
    return Place(key_.data());
  }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;
  static constexpr size_t kFirstSlots = 64;
  struct Field {
    uint32_t word;
    uint32_t shift;
  };

  uint64_t Hash(const uint64_t* key) const {
    uint64_t hash = 0;
    for (size_t i = 0; i < words_; ++i) hash = (std::rotl(hash, 29) ^ key[i]) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 32U;
  }

  bool Place(const uint64_t* key) {
    size_t mask = slots_.size() / words_ - 1;
    for (size_t at = Hash(key) & mask;; at = (at + 1) & mask) {
      uint64_t* slot = slots_.data() + at * words_;
      if (slot[words_ - 1] == kEmpty) {
        std::copy(key, key + words_, slot);
        ++count_;
        return true;
      }
      if (std::equal(key, key + words_, slot)) return false;
    }
  }

  void Grow() {
    std::vector<uint64_t> old(slots_.size() * 2, kEmpty);
    old.swap(slots_);
    count_ = 0;
    for (size_t i = 0; i < old.size(); i += words_) {
      if (old[i + words_ - 1] != kEmpty) Place(old.data() + i);
    }
  }

  std::vector<Field> fields_;
  size_t words_ = 1;
  std::vector<uint64_t> key_;
  std::vector<uint64_t> slots_;
  size_t count_ = 0;
};

}  // namespace heddle::predict
