#include "sched/thread_set.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "sched/random.h"

namespace heddle::sched {
namespace {

// The naive twin is a std::set.
TEST(ThreadSet, AgreesWithASet) {
  Random random(1);
  for (uint32_t bound : {3U, 70U, kMaxSlots}) {
    auto bits = std::make_unique<ThreadSet>();
    std::set<uint32_t> naive;
    for (int round = 0; round < 3000; ++round) {
      auto slot = static_cast<uint32_t>(random.Below(bound));
      if (random.Below(300) == 0) {
        bits->Clear();
        naive.clear();
      }
      if (random.Below(2) == 0) {
        bits->Add(slot);
        naive.insert(slot);
      } else {
        bits->Remove(slot);
        naive.erase(slot);
      }
      ASSERT_EQ(bits->count(), naive.size());
      ASSERT_EQ(bits->Has(slot), naive.contains(slot));
      auto from = naive.lower_bound(slot);
      ASSERT_EQ(bits->From(slot), from == naive.end() ? kNoSlot : *from);
      if (naive.empty()) continue;
      auto index = static_cast<uint32_t>(random.Below(naive.size()));
      ASSERT_EQ(bits->Nth(index), *std::next(naive.begin(), index));
      std::set<uint32_t> visited;
      bits->ForEach([&](uint32_t element) { visited.insert(element); });
      ASSERT_EQ(visited, naive);
    }
  }
}

}  // namespace
}  // namespace heddle::sched
