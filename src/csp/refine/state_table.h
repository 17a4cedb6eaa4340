// A set of packed states: open addressing, keys inline, nothing else.
//
// Sized to stay between about 60% and 80% full: the table is 16 parts once it is large, and each part grows by itself
// by a third, so that growing never needs a second copy of the whole. A key whose last word is zero marks an empty slot
// (PackedFormat keeps that word non-zero). At 8 bytes a key this takes 10 to 13 bytes a state.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace heddle::csp {

template <int W>
using Key = std::array<uint64_t, W>;

// Memory that comes zeroed and goes back to the system when it is large.
class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  explicit ZeroedMemory(size_t bytes) : bytes_(bytes) {
    if (bytes < kLarge) {
      data_ = std::calloc(1, bytes);
      return;
    }
    // Whole huge pages at aligned addresses: a lookup then seldom misses in the TLB as well as in the cache.
    bytes_ = (bytes + kHuge - 1) / kHuge * kHuge;
    void* at = mmap(nullptr, bytes_ + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return;
    uintptr_t begin = reinterpret_cast<uintptr_t>(at);
    uintptr_t aligned = (begin + kHuge - 1) / kHuge * kHuge;
    if (aligned != begin) munmap(at, aligned - begin);
    if (aligned != begin + kHuge) munmap(reinterpret_cast<void*>(aligned + bytes_), begin + kHuge - aligned);
    data_ = reinterpret_cast<void*>(aligned);
    madvise(data_, bytes_, MADV_HUGEPAGE);
  }
  ~ZeroedMemory() {
    if (data_ == nullptr) return;
    if (bytes_ < kLarge) {
      std::free(data_);
    } else {
      munmap(data_, bytes_);
    }
  }
  ZeroedMemory(ZeroedMemory&& other) noexcept : data_(other.data_), bytes_(other.bytes_) { other.data_ = nullptr; }
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kHuge = size_t{2} << 20;
  static constexpr size_t kLarge = kHuge;
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

template <int W>
class StateTable {
 public:
  static uint64_t Hash(const Key<W>& key) {
    uint64_t h = 0x2545F4914F6CDD1Dull;
    for (int i = 0; i < W; ++i) {
      h ^= key[static_cast<size_t>(i)];
      h *= 0x9E3779B97F4A7C15ull;
      h ^= h >> 32;
    }
    h *= 0xD6E8FEB86659FD93ull;
    return h ^ (h >> 29);
  }

  // True when the key is new. False with failed() set when memory ran out.
  bool Insert(const Key<W>& key, uint64_t hash) {
    Part& part = parts_[hash >> part_shift_ & (parts_.size() - 1)];
    if (part.count * 5 >= part.capacity * 4 && !Grow(part)) return false;
    size_t at = Slot(hash, part.capacity);
    Key<W>* slots = static_cast<Key<W>*>(part.memory.data());
    while (slots[at][W - 1] != 0) {
      if (slots[at] == key) return false;
      if (++at == part.capacity) at = 0;
    }
    slots[at] = key;
    ++part.count;
    if (++size_ == kSplit && parts_.size() == 1) Split();
    return true;
  }

  bool Has(const Key<W>& key, uint64_t hash) const {
    const Part& part = parts_[hash >> part_shift_ & (parts_.size() - 1)];
    if (part.capacity == 0) return false;
    const Key<W>* slots = static_cast<const Key<W>*>(part.memory.data());
    for (size_t at = Slot(hash, part.capacity); slots[at][W - 1] != 0;) {
      if (slots[at] == key) return true;
      if (++at == part.capacity) at = 0;
    }
    return false;
  }

  // `to_write`: it will be inserted, and no other thread reads the table.
  void Prefetch(uint64_t hash, bool to_write) const {
    const Part& part = parts_[hash >> part_shift_ & (parts_.size() - 1)];
    if (part.capacity == 0) return;
    const void* at = static_cast<const Key<W>*>(part.memory.data()) + Slot(hash, part.capacity);
    if (to_write) {
      __builtin_prefetch(at, 1, 1);
    } else {
      __builtin_prefetch(at, 0, 1);
    }
  }

  // Forgets all keys and keeps the memory.
  void Clear() {
    for (Part& part : parts_) {
      if (part.count != 0) std::memset(part.memory.data(), 0, part.capacity * sizeof(Key<W>));
      part.count = 0;
    }
    size_ = 0;
  }

  // Calls each(keys, count) with the keys of one part after another, sorted, and gives the memory back.
  template <typename Each>
  void TakeSorted(const Each& each) {
    for (Part& part : parts_) {
      Key<W>* slots = static_cast<Key<W>*>(part.memory.data());
      Key<W>* end = std::remove_if(slots, slots + part.capacity, [](const Key<W>& key) { return key[W - 1] == 0; });
      std::sort(slots, end);
      each(slots, static_cast<size_t>(end - slots));
      part = Part();
    }
    size_ = 0;
  }

  size_t size() const { return size_; }
  bool failed() const { return failed_; }
  size_t bytes() const {
    size_t total = 0;
    for (const Part& part : parts_) total += part.memory.bytes();
    return total;
  }

 private:
  struct Part {
    ZeroedMemory memory;
    size_t capacity = 0;
    size_t count = 0;
  };
  static constexpr size_t kSplit = 1 << 16;
  static constexpr size_t kParts = 16;

  // The low 48 bits of the hash choose the slot, the bits above it the part.
  static size_t Slot(uint64_t hash, size_t capacity) {
    return static_cast<size_t>((static_cast<unsigned __int128>(hash << 16) * capacity) >> 64);
  }

  static void Place(Part& part, const Key<W>& key) {
    Key<W>* slots = static_cast<Key<W>*>(part.memory.data());
    size_t at = Slot(Hash(key), part.capacity);
    while (slots[at][W - 1] != 0) {
      if (++at == part.capacity) at = 0;
    }
    slots[at] = key;
    ++part.count;
  }

  bool Grow(Part& part) {
    size_t capacity = part.capacity == 0 ? 32 : part.capacity < 4096 ? part.capacity * 2 : part.capacity * 4 / 3;
    Part bigger;
    bigger.memory = ZeroedMemory(capacity * sizeof(Key<W>));
    if (bigger.memory.data() == nullptr) {
      failed_ = true;
      return part.count + 1 < part.capacity;
    }
    bigger.capacity = capacity;
    const Key<W>* slots = static_cast<const Key<W>*>(part.memory.data());
    for (size_t i = 0; i < part.capacity; ++i) {
      if (slots[i][W - 1] != 0) Place(bigger, slots[i]);
    }
    part = std::move(bigger);
    return true;
  }

  void Split() {
    Part whole = std::move(parts_[0]);
    parts_.clear();
    parts_.resize(kParts);
    part_shift_ = 48;
    for (Part& part : parts_) {
      part.capacity = kSplit * 2 / kParts;
      part.memory = ZeroedMemory(part.capacity * sizeof(Key<W>));
    }
    const Key<W>* slots = static_cast<const Key<W>*>(whole.memory.data());
    for (size_t i = 0; i < whole.capacity; ++i) {
      if (slots[i][W - 1] == 0) continue;
      Part& part = parts_[Hash(slots[i]) >> part_shift_ & (kParts - 1)];
      if (part.count * 5 >= part.capacity * 4) Grow(part);
      Place(part, slots[i]);
    }
  }

  std::vector<Part> parts_ = std::vector<Part>(1);
  int part_shift_ = 0;
  size_t size_ = 0;
  bool failed_ = false;
};

}  // namespace heddle::csp
