// Memory for the program whose addresses depend on nothing but what the allocating thread did: used under controlled
// scheduling, so that pointers are equal in every run (docs/control-design.md).
//
// Each thread slot has a heap of its own at a fixed place in the address space. A block is taken from the calling
// thread's heap and given back to the calling thread's heap, whoever it came from: so no thread ever sees what another
// one does, there is no lock, and the order in which threads run changes nothing.
//
// So that wrong accesses are seen (docs/explore.md, "Memory that is used wrongly"): behind each block lie kHeapGuard
// bytes that belong to nobody, new blocks hold kFreshByte, and a freed block waits until kQuarantine bytes were freed
// after it before it is used again, by size class, last first. All of this is the same in every mode, because addresses
// must be; who watches accesses (detect/heap.h) marks the guards.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::rt {

inline constexpr uint64_t kHeapsBegin = uint64_t{0x2000} << 32U;
inline constexpr uint64_t kHeapBytes = uint64_t{1} << 33U;
inline constexpr uint32_t kHeaps = 4096;
inline constexpr uint64_t kHeapsEnd = kHeapsBegin + kHeaps * kHeapBytes;

inline constexpr size_t kHeapHeader = 16;  // before each block
inline constexpr size_t kHeapGuard = 48;   // behind each block
inline constexpr size_t kQuarantine = size_t{64} << 10U;
inline constexpr unsigned char kFreshByte = 0xBE;         // as an address it is none
inline constexpr size_t kFreshBytes = size_t{64} << 10U;  // of larger blocks only the first ones are filled

enum class BlockState : uint8_t { kLive, kFreed, kNone };  // none: no block begins there

class ThreadHeap {
 public:
  // The heap of a slot, made at its first use and kept for the slot's next thread. Null when it cannot be mapped.
  static ThreadHeap* OfSlot(uint32_t slot);

  // Forgets all blocks.
  void Clear();

  // From now on without guards, filling and quarantine: for the search's own memory within a test's process.
  void SetBare() { bare_ = true; }

  // Null when the heap is full (the caller turns to libc). `alignment` is a power of two, at least 16.
  void* Take(size_t bytes, size_t alignment);
  // A block of any heap. Anything but kLive: nothing was done.
  BlockState Give(void* block);

 private:
  static constexpr uint32_t kClasses = 160;
  struct Header;
  struct Free {
    Free* next;
    uint64_t size_class;
  };
  void Quarantine(Free* freed);
  void Reuse(Free* freed);
  static uint32_t ClassOf(size_t bytes);
  static size_t BytesOf(uint32_t size_class);

  uint64_t next_;
  uint64_t end_;
  Free* free_[kClasses];
  Free* oldest_;  // in quarantine
  Free* newest_;
  uint64_t waiting_;  // bytes in quarantine
  bool bare_;

  friend size_t HeapBlockBytes(const void* block);
  friend BlockState HeapBlockState(const void* block);
};

inline bool IsHeapBlock(const void* block) {
  auto at = reinterpret_cast<uint64_t>(block);
  return at - kHeapsBegin < kHeapsEnd - kHeapsBegin;
}
// What was asked for: there is no more room than that.
size_t HeapBlockBytes(const void* block);
BlockState HeapBlockState(const void* block);

// The calling thread's heap; null: libc's.
extern constinit thread_local ThreadHeap* t_heap __attribute__((tls_model("initial-exec")));

}  // namespace heddle::rt
