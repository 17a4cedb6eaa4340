// The cuts that a search has visited, exactly. First an open table of cuts that are packed into as few bits as the
// bounds of the fields need, between two and three fifths full once it has grown: a cut of up to 64 bits costs at most
// 20 bytes. When a bit for every cut that the bounds allow takes no more than 16 bytes for each that was visited, it
// becomes that bitmap, which needs neither hashing nor probing and only grows cheaper by the cut.
#pragma once

#include <algorithm>
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
      fields_.push_back({used / 64, used % 64, bits, all_});
      used += bits;
      all_ = all_ > kMostBits / (uint64_t{bound} + 1) ? kMostBits : all_ * (uint64_t{bound} + 1);
    }
    // The marker of an empty slot must not be a cut: there is at least one bit to spare in the last word.
    words_ = used / 64 + 1;
    key_.resize(words_);
    Resize(kFirstSlots);
  }

  size_t size() const { return count_; }
  size_t bytes() const { return (slots_.size() + bits_.size()) * sizeof(uint64_t); }
  bool is_bitmap() const { return !bits_.empty(); }

  // The cut that Insert adds starts with all fields zero and is changed field by field.
  void Change(size_t field, int64_t by) {
    const Field& at = fields_[field];
    key_[at.word] += static_cast<uint64_t>(by) << at.shift;
    index_ += static_cast<uint64_t>(by) * at.stride;
  }

  // Whether the cut with one more in the field is known to have been added. Only the bitmap says so; cheap.
  bool HasNext(size_t field) const {
    if (bits_.empty()) return false;
    uint64_t index = index_ + fields_[field].stride;
    return (bits_[index / 64] >> (index % 64) & 1U) != 0;
  }

  // Adds the cut as it is now; false when it was there.
  bool Insert() {
    if (!bits_.empty()) return SetBit(index_);
    if (count_ == room_) Grow();
    if (!bits_.empty()) return SetBit(index_);
    return words_ == 1 ? PlaceWord(key_[0]) : Place(key_.data());
  }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;
  static constexpr size_t kFirstSlots = 64;
  static constexpr uint64_t kMostBits = uint64_t{1} << 40U;
  static constexpr uint64_t kBitsForACut = 128;
  struct Field {
    uint32_t word;
    uint32_t shift;
    uint32_t bits;
    uint64_t stride;  // in the bitmap
  };

  bool SetBit(uint64_t index) {
    uint64_t& word = bits_[index / 64];
    uint64_t bit = uint64_t{1} << (index % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    ++count_;
    return true;
  }

  uint64_t Hash(const uint64_t* key) const {
    uint64_t hash = 0;
    for (size_t i = 0; i < words_; ++i) {
      hash = (std::rotl(hash, 29) ^ key[i]) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32U;
    }
    return hash * 0x94D049BB133111EBU;
  }

  // The slot that the hash, as a fraction of 2^64, points at: the number of slots need not be a power of two.
  size_t First(const uint64_t* key) const {
    using Wide = unsigned __int128;
    return static_cast<size_t>(static_cast<Wide>(Hash(key)) * slot_count_ >> 64U);
  }

  void Resize(size_t count) {
    slot_count_ = count;
    room_ = count * 3 / 5;
    count_ = 0;
    slots_.assign(count * words_, kEmpty);
  }

  bool PlaceWord(uint64_t key) {
    for (size_t at = First(&key);; at = at + 1 == slot_count_ ? 0 : at + 1) {
      if (slots_[at] == key) return false;
      if (slots_[at] != kEmpty) continue;
      slots_[at] = key;
      ++count_;
      return true;
    }
  }

  bool Place(const uint64_t* key) {
    for (size_t at = First(key);; at = at + 1 == slot_count_ ? 0 : at + 1) {
      uint64_t* slot = slots_.data() + at * words_;
      if (slot[words_ - 1] == kEmpty) {
        std::copy(key, key + words_, slot);
        ++count_;
        return true;
      }
      if (std::equal(key, key + words_, slot)) return false;
    }
  }

  uint64_t IndexOf(const uint64_t* key) const {
    uint64_t index = 0;
    for (const Field& field : fields_) {
      uint64_t mask = field.bits == 64 ? UINT64_MAX : (uint64_t{1} << field.bits) - 1;
      index += (key[field.word] >> field.shift & mask) * field.stride;
    }
    return index;
  }

  void Grow() {
    std::vector<uint64_t> old;
    old.swap(slots_);
    if (all_ < kMostBits && all_ <= kBitsForACut * count_) {
      bits_.assign(all_ / 64 + 1, 0);
      count_ = 0;
    } else {
      Resize(slot_count_ + slot_count_ / 2);
    }
    for (size_t i = 0; i < old.size(); i += words_) {
      if (old[i + words_ - 1] == kEmpty) continue;
      if (bits_.empty()) {
        Place(old.data() + i);
      } else {
        SetBit(IndexOf(old.data() + i));
      }
    }
  }

  std::vector<Field> fields_;
  uint64_t all_ = 1;  // cuts that the bounds allow, at most kMostBits
  size_t words_ = 1;
  std::vector<uint64_t> key_;
  uint64_t index_ = 0;
  std::vector<uint64_t> bits_;  // empty: the table is used
  std::vector<uint64_t> slots_;
  size_t slot_count_ = 0;
  size_t room_ = 0;  // cuts before it grows
  size_t count_ = 0;
};

}  // namespace heddle::predict
