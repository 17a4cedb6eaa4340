// The shadow of a region that several threads touch first at the same moment.
#include "runtime/detect/shadow.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/message.h"

namespace heddle::rt {

void Message(const char* /*a*/, const char* /*b*/, const char* /*c*/) {}

namespace detect {
namespace {

// One thread reserves regions, the other looks for them: where it sees a region, it must see the cells. Otherwise the
// first access of one of two racing threads is not entered, and the race is lost.
TEST(ShadowTest, WhoSeesARegionSeesItsCells) {
  ASSERT_TRUE(StartShadow());
  constexpr uint64_t kRounds = 400;
  constexpr uint64_t kFirst = uint64_t{1} << 40U;
  std::atomic<uint64_t> reached{0};
  std::thread other([&] {
    for (uint64_t round = 0; round < kRounds; ++round) {
      while (reached.load() < round + 1) std::this_thread::yield();
      ReserveRegion(kFirst + round * kRegionBytes);
    }
  });
  uint64_t without_cells = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    uint64_t address = kFirst + round * kRegionBytes;
    reached.store(round + 1);
    for (uint32_t looks = 0; RegionIfTouched(address) == nullptr; ++looks) {
      if (looks > 100000) std::this_thread::yield();
    }
    if (CellsIfTouched(address) == nullptr) ++without_cells;
  }
  other.join();
  EXPECT_EQ(without_cells, 0U);
}

}  // namespace
}  // namespace detect
}  // namespace heddle::rt
