// The shadow: regions that several threads touch first at the same moment, and the pages of cells.
#include "runtime/detect/shadow.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>
#include <vector>

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

// How many of the pages at [at, at + bytes) the system has given.
uint64_t PagesThere(const void* at, uint64_t bytes) {
  auto begin = reinterpret_cast<uint64_t>(at) & ~uint64_t{4095};
  std::vector<unsigned char> there((bytes + 4095) / 4096);
  mincore(reinterpret_cast<void*>(begin), bytes, there.data());  // NOLINT: an address of the shadow
  uint64_t pages = 0;
  for (unsigned char page : there) pages += page & 1U;
  return pages;
}

TEST(ShadowTest, PagesAreAskedForInChunksAndForgottenWithTheirCells) {
  ASSERT_TRUE(StartShadow());
  constexpr uint64_t kChunk = uint64_t{1} << kChunkShift;
  constexpr uint64_t kBegin = uint64_t{1} << 41U;
  ASSERT_NE(RegionOf(kBegin), nullptr);
  Cell* cells = CellsIfTouched(kBegin);
  PrepareCells(kBegin + 8);
  EXPECT_TRUE(IsPrepared(kBegin + kChunk - 1));
  EXPECT_FALSE(IsPrepared(kBegin + kChunk));
  PrepareCells(kBegin + kChunk);  // behind one that is prepared: several
  EXPECT_TRUE(IsPrepared(kBegin + 4 * kChunk));
  EXPECT_FALSE(IsPrepared(kBegin + 5 * kChunk));
  uint64_t asked = PagesThere(cells, 5 * kChunk);
  if (asked == 0) GTEST_SKIP() << "this kernel cannot be asked for pages";
  EXPECT_GE(asked, 5 * kChunk / 4096);
  StoreCell(&cells[1], kLastBit);
  ForgetCells(kBegin, 5 * kChunk);
  EXPECT_FALSE(IsPrepared(kBegin));
  EXPECT_LE(PagesThere(cells, 5 * kChunk), 2U);
  EXPECT_EQ(LoadCell(&cells[1]), 0U);
}

}  // namespace
}  // namespace detect
}  // namespace heddle::rt
