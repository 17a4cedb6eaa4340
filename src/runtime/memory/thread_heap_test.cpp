#include "runtime/memory/thread_heap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "sched/random.h"

namespace heddle::rt {
namespace {

// Blocks do not overlap, are aligned, and keep what was written: compared with a map of what is live.
TEST(ThreadHeap, BlocksAreTheirOwners) {
  ThreadHeap* heap = ThreadHeap::OfSlot(0);
  ASSERT_NE(heap, nullptr);
  sched::Random random(7);
  std::map<uint64_t, std::pair<size_t, unsigned char>> live;
  for (int round = 0; round < 20000; ++round) {
    if (live.size() > 200 || (!live.empty() && random.Below(3) == 0)) {
      auto victim = std::next(live.begin(), static_cast<ptrdiff_t>(random.Below(live.size())));
      auto* bytes = reinterpret_cast<unsigned char*>(victim->first);
      for (size_t i = 0; i < victim->second.first; ++i) ASSERT_EQ(bytes[i], victim->second.second);
      ASSERT_EQ(heap->Give(bytes), BlockState::kLive);
      live.erase(victim);
      continue;
    }
    size_t bytes = random.Below(random.Below(10) == 0 ? 100000 : 300);
    size_t alignment = random.Below(8) == 0 ? size_t{16} << random.Below(9) : 16;
    void* block = heap->Take(bytes, alignment);
    ASSERT_NE(block, nullptr);
    ASSERT_TRUE(IsHeapBlock(block));
    auto at = reinterpret_cast<uint64_t>(block);
    ASSERT_EQ(at % alignment, 0U);
    ASSERT_EQ(HeapBlockBytes(block), bytes);
    auto next = live.lower_bound(at);
    if (next != live.end()) {
      ASSERT_LE(at + bytes + kHeapGuard + kHeapHeader, next->first);
    }
    if (next != live.begin()) {
      ASSERT_LE(std::prev(next)->first + std::prev(next)->second.first + kHeapGuard + kHeapHeader, at);
    }
    auto* fresh = static_cast<unsigned char*>(block);
    for (size_t i = 0; i < bytes && i < kFreshBytes; ++i) ASSERT_EQ(fresh[i], kFreshByte);
    auto mark = static_cast<unsigned char>(random.Next());
    std::memset(block, mark, bytes);
    live[at] = {bytes, mark};
  }
}

TEST(ThreadHeap, AddressesDependOnTheThreadsOwnCallsAlone) {
  ThreadHeap* first = ThreadHeap::OfSlot(1);
  ThreadHeap* second = ThreadHeap::OfSlot(2);
  std::vector<void*> from_first;
  sched::Random random(9);
  for (int i = 0; i < 1000; ++i) {
    size_t bytes = random.Below(500);
    void* a = first->Take(bytes, 16);
    void* b = second->Take(bytes, 16);
    ASSERT_EQ(reinterpret_cast<uint64_t>(b) - reinterpret_cast<uint64_t>(a), kHeapBytes);
    if (random.Below(2) == 0) {
      ASSERT_EQ(first->Give(a), BlockState::kLive);
      ASSERT_EQ(second->Give(b), BlockState::kLive);
    } else {
      from_first.push_back(a);
    }
  }
  // Blocks of another heap come back where they were freed, when enough was freed behind them.
  void* foreign = from_first[0];
  size_t bytes = HeapBlockBytes(foreign);
  ASSERT_EQ(second->Give(foreign), BlockState::kLive);
  bool came_back = false;
  for (size_t freed = 0; freed < 2 * kQuarantine && !came_back; freed += bytes + kHeapGuard) {
    void* block = second->Take(bytes, 16);
    came_back = block == foreign;
    ASSERT_EQ(second->Give(block), BlockState::kLive);
  }
  EXPECT_TRUE(came_back);
}

TEST(ThreadHeap, FreedBlocksWait) {
  ThreadHeap* heap = ThreadHeap::OfSlot(5);
  void* block = heap->Take(40, 16);
  ASSERT_EQ(heap->Give(block), BlockState::kLive);
  for (int i = 0; i < 100; ++i) {
    void* other = heap->Take(40, 16);
    ASSERT_NE(other, block);
    ASSERT_EQ(heap->Give(other), BlockState::kLive);
  }
  ThreadHeap* bare = ThreadHeap::OfSlot(6);
  bare->SetBare();
  block = bare->Take(40, 16);
  ASSERT_EQ(bare->Give(block), BlockState::kLive);
  EXPECT_EQ(bare->Take(40, 16), block);
}

TEST(ThreadHeap, FreeingTwiceIsSeen) {
  ThreadHeap* heap = ThreadHeap::OfSlot(3);
  void* block = heap->Take(40, 16);
  EXPECT_EQ(heap->Give(block), BlockState::kLive);
  EXPECT_EQ(heap->Give(block), BlockState::kFreed);
}

TEST(ThreadHeap, OnlyBeginningsOfBlocksAreBlocks) {
  ThreadHeap* heap = ThreadHeap::OfSlot(7);
  auto* block = static_cast<char*>(heap->Take(100, 16));
  std::memset(block, 0, 100);
  for (int offset = 1; offset < 100; ++offset) EXPECT_EQ(heap->Give(block + offset), BlockState::kNone) << offset;
  EXPECT_EQ(heap->Give(block), BlockState::kLive);
}

TEST(ThreadHeap, TooLargeIsRefused) {
  ThreadHeap* heap = ThreadHeap::OfSlot(4);
  EXPECT_EQ(heap->Take(kHeapBytes, 16), nullptr);
  EXPECT_NE(heap->Take(size_t{1} << 30U, 16), nullptr);
  EXPECT_EQ(heap->Take(SIZE_MAX, 16), nullptr);
}

}  // namespace
}  // namespace heddle::rt
