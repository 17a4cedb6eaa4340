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
      ASSERT_TRUE(heap->Give(bytes));
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
    ASSERT_GE(HeapBlockBytes(block), bytes);
    auto next = live.lower_bound(at);
    if (next != live.end()) {
      ASSERT_LE(at + HeapBlockBytes(block), next->first);
    }
    if (next != live.begin()) {
      ASSERT_LE(std::prev(next)->first + std::prev(next)->second.first, at);
    }
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
      ASSERT_TRUE(first->Give(a));
      ASSERT_TRUE(second->Give(b));
    } else {
      from_first.push_back(a);
    }
  }
  // Blocks of another heap come back where they were freed.
  void* foreign = from_first[0];
  size_t room = HeapBlockBytes(foreign);
  ASSERT_TRUE(second->Give(foreign));
  EXPECT_EQ(second->Take(room, 16), foreign);
}

TEST(ThreadHeap, FreeingTwiceIsSeen) {
  ThreadHeap* heap = ThreadHeap::OfSlot(3);
  void* block = heap->Take(40, 16);
  EXPECT_TRUE(heap->Give(block));
  EXPECT_FALSE(heap->Give(block));
}

TEST(ThreadHeap, TooLargeIsRefused) {
  ThreadHeap* heap = ThreadHeap::OfSlot(4);
  EXPECT_EQ(heap->Take(kHeapBytes, 16), nullptr);
  EXPECT_NE(heap->Take(size_t{1} << 30U, 16), nullptr);
  EXPECT_EQ(heap->Take(SIZE_MAX, 16), nullptr);
}

}  // namespace
}  // namespace heddle::rt
