// Memory for the program whose addresses depend on nothing but what the allocating thread did: used under controlled
// scheduling, so that pointers are equal in every run (docs/control-design.md).
//
// Each thread slot has a heap of its own at a fixed place in the address space. A block is taken from the calling
// thread's heap and given back to the calling thread's heap, whoever it came from: so no thread ever sees what another
// one does, there is no lock, and the order in which threads run changes nothing. Blocks that have been freed are used
// again by size class, last first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::rt {

inline constexpr uint64_t kHeapsBegin = uint64_t{0x2000} << 32U;
inline constexpr uint64_t kHeapBytes = uint64_t{1} << 33U;
inline constexpr uint32_t kHeaps = 4096;
inline constexpr uint64_t kHeapsEnd = kHeapsBegin + kHeaps * kHeapBytes;

class ThreadHeap {
 public:
  // The heap of a slot, made at its first use and kept for the slot's next thread. Null when it cannot be mapped.
  static ThreadHeap* OfSlot(uint32_t slot);

  // Forgets all blocks.
  void Clear();

  // Null when the heap is full (the caller turns to libc). `alignment` is a power of two, at least 16.
  void* Take(size_t bytes, size_t alignment);
  // Any block of any heap. False when it was free already.
  bool Give(void* block);

 private:
  static constexpr uint32_t kClasses = 160;
  struct Header;
  struct Free {
    Free* next;
  };
  static uint32_t ClassOf(size_t bytes);
  static size_t BytesOf(uint32_t size_class);

  uint64_t next_;
  uint64_t end_;
  Free* free_[kClasses];

  friend size_t HeapBlockBytes(const void* block);
};

inline bool IsHeapBlock(const void* block) {
  auto at = reinterpret_cast<uint64_t>(block);
  return at - kHeapsBegin < kHeapsEnd - kHeapsBegin;
}
// What the block has room for.
size_t HeapBlockBytes(const void* block);

// The calling thread's heap; null: libc's.
extern constinit thread_local ThreadHeap* t_heap __attribute__((tls_model("initial-exec")));

}  // namespace heddle::rt
