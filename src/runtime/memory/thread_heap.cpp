#include "runtime/memory/thread_heap.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstring>

#include "runtime/raw_syscall.h"

namespace heddle::rt {

constinit thread_local ThreadHeap* t_heap __attribute__((tls_model("initial-exec"))) = nullptr;

// Right before the block that the program has.
struct ThreadHeap::Header {
  uint32_t mark;    // MarkOf the block and its size class; kFreed is added while it is free
  uint32_t offset;  // from the beginning of the room to the block
  uint64_t bytes;   // that were asked for
};
static_assert(kHeapHeader % 16 == 0);

namespace {

constexpr size_t kGranule = 16;
constexpr uint32_t kFreed = 0x80000000U;
constexpr uint32_t kClassBits = 8;

// What other bytes before an address hardly look like.
uint32_t MarkOf(uint64_t block, uint32_t size_class) {
  constexpr uint64_t kMix = 0x9E3779B97F4A7C15ULL;
  auto mixed = static_cast<uint32_t>(block * kMix >> 33U) & ~kFreed;
  return (mixed & ~((1U << kClassBits) - 1)) | size_class;
}
constexpr uint32_t ClassOfMark(uint32_t mark) { return mark & ((1U << kClassBits) - 1); }

constexpr uint32_t kSmallClasses = 64;          // up to 1 KiB in granules, then four to each doubling
constexpr size_t kReturned = size_t{1} << 18U;  // freed blocks of this size give their pages back

bool g_mapped[kHeaps];

}  // namespace

uint32_t ThreadHeap::ClassOf(size_t bytes) {
  size_t granules = (bytes + kGranule - 1) / kGranule;
  if (granules <= kSmallClasses) return granules == 0 ? 0 : static_cast<uint32_t>(granules - 1);
  // Between 2^k and 2^(k+1) granules there are four classes.
  auto log = static_cast<uint32_t>(63 - __builtin_clzll(granules - 1));
  auto quarter = static_cast<uint32_t>(((granules - 1) >> (log - 2)) & 3U);
  return kSmallClasses + (log - 6) * 4 + quarter;
}

size_t ThreadHeap::BytesOf(uint32_t size_class) {
  if (size_class < kSmallClasses) return (size_t{size_class} + 1) * kGranule;
  uint32_t log = (size_class - kSmallClasses) / 4 + 6;
  size_t quarter = (size_class - kSmallClasses) % 4;
  return ((size_t{1} << log) + ((quarter + 1) << (log - 2))) * kGranule;
}

ThreadHeap* ThreadHeap::OfSlot(uint32_t slot) {
  if (slot >= kHeaps) return nullptr;
  uint64_t begin = kHeapsBegin + slot * kHeapBytes;
  auto* heap = reinterpret_cast<ThreadHeap*>(begin);  // NOLINT: a chosen address
  if (g_mapped[slot]) return heap;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  long at = Sys(SYS_mmap, begin, kHeapBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0L);
  if (at != static_cast<long>(begin)) return nullptr;
  g_mapped[slot] = true;
  heap->Clear();
  return heap;
}

void ThreadHeap::Clear() {
  auto begin = reinterpret_cast<uint64_t>(this);
  if (next_ != 0) Sys(SYS_madvise, begin, next_ - begin, MADV_DONTNEED);
  next_ = (begin + sizeof(ThreadHeap) + 4095) & ~uint64_t{4095};
  end_ = begin + kHeapBytes;
}

void* ThreadHeap::Take(size_t bytes, size_t alignment) {
  static_assert(kClasses < 1U << kClassBits && sizeof(Header) == kHeapHeader && sizeof(Free) <= kGranule);
  if (bytes > kHeapBytes / 2 || alignment > kHeapBytes / 4) return nullptr;
  size_t slack = alignment > kGranule ? alignment : 0;
  uint32_t size_class = ClassOf(bytes + slack + (bare_ ? 0 : kHeapGuard));
  size_t room = BytesOf(size_class);
  uint64_t begin = 0;
  if (free_[size_class] != nullptr) {
    Free* first = free_[size_class];
    free_[size_class] = first->next;
    begin = reinterpret_cast<uint64_t>(first);
  } else {
    begin = next_ + sizeof(Header);
    if (room > end_ - next_ - sizeof(Header)) return nullptr;
    next_ = begin + room;
  }
  uint64_t block = (begin + alignment - 1) & ~(uint64_t{alignment} - 1);
  auto* header = reinterpret_cast<Header*>(block - sizeof(Header));  // NOLINT: in the heap
  *header = {MarkOf(block, size_class), static_cast<uint32_t>(block - begin), bytes};
  auto* fresh = reinterpret_cast<void*>(block);  // NOLINT: in the heap
  if (!bare_) memset(fresh, kFreshByte, bytes < kFreshBytes ? bytes : kFreshBytes);
  return fresh;
}

BlockState HeapBlockState(const void* block) {
  auto at = reinterpret_cast<uint64_t>(block);
  if (at % kGranule != 0) return BlockState::kNone;
  uint32_t mark = reinterpret_cast<const ThreadHeap::Header*>(at - kHeapHeader)->mark;  // NOLINT: in a heap
  if ((mark & ~kFreed) != MarkOf(at, ClassOfMark(mark)) || ClassOfMark(mark) >= ThreadHeap::kClasses)
    return BlockState::kNone;
  return (mark & kFreed) != 0 ? BlockState::kFreed : BlockState::kLive;
}

BlockState ThreadHeap::Give(void* block) {
  BlockState state = HeapBlockState(block);
  if (state != BlockState::kLive) return state;
  auto at = reinterpret_cast<uint64_t>(block);
  auto* header = reinterpret_cast<Header*>(at - sizeof(Header));  // NOLINT: in a heap
  uint32_t size_class = ClassOfMark(header->mark);
  header->mark |= kFreed;
  uint64_t begin = at - header->offset;
  size_t room = BytesOf(size_class);
  if (room >= kReturned) {
    uint64_t low = (begin + sizeof(Free) + 4095) & ~uint64_t{4095};
    uint64_t high = (begin + room) & ~uint64_t{4095};
    if (low < high) Sys(SYS_madvise, low, high - low, MADV_DONTNEED);
  }
  auto* freed = reinterpret_cast<Free*>(begin);  // NOLINT: in a heap
  freed->size_class = size_class;
  if (bare_) {
    Reuse(freed);
  } else {
    Quarantine(freed);
  }
  return BlockState::kLive;
}

void ThreadHeap::Reuse(Free* freed) {
  freed->next = free_[freed->size_class];
  free_[freed->size_class] = freed;
}

void ThreadHeap::Quarantine(Free* freed) {
  // The pages of a large block went back to the system: it holds next to nothing.
  auto held = [](const Free* block) {
    size_t room = BytesOf(static_cast<uint32_t>(block->size_class));
    return room >= kReturned ? size_t{4096} : room;
  };
  freed->next = nullptr;
  (oldest_ == nullptr ? oldest_ : newest_->next) = freed;
  newest_ = freed;
  waiting_ += held(freed);
  while (waiting_ > kQuarantine) {
    Free* first = oldest_;
    oldest_ = first->next;
    waiting_ -= held(first);
    Reuse(first);
  }
}

size_t HeapBlockBytes(const void* block) {
  auto at = reinterpret_cast<uint64_t>(block);
  return reinterpret_cast<const ThreadHeap::Header*>(at - sizeof(ThreadHeap::Header))->bytes;  // NOLINT: in a heap
}

}  // namespace heddle::rt
