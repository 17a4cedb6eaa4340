// The memory of visited cuts against a set of vectors.
#include "predict/cut_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace heddle::predict {
namespace {

// A random walk inside the bounds; returns whether it ended as a bitmap.
bool Walk(const std::vector<uint32_t>& bounds, uint32_t steps, uint64_t seed) {
  std::mt19937_64 random(seed);
  CutSet cuts(bounds);
  std::set<std::vector<uint32_t>> naive;
  std::vector<uint32_t> at(bounds.size());
  for (uint32_t i = 0; i < steps; ++i) {
    size_t field = random() % bounds.size();
    bool up = at[field] == 0 || (at[field] < bounds[field] && random() % 2 == 0);
    if (bounds[field] != 0) {
      at[field] += up ? 1U : UINT32_MAX;
      cuts.Change(field, up ? 1 : -1);
    }
    EXPECT_EQ(cuts.Insert(), naive.insert(at).second);
    EXPECT_EQ(cuts.size(), naive.size());
    std::vector<uint32_t> next = at;
    if (++next[field] <= bounds[field]) {
      EXPECT_EQ(cuts.HasNext(field), cuts.is_bitmap() && naive.contains(next));
    }
    if (testing::Test::HasFailure()) return false;
  }
  if (naive.size() > 1000) {
    EXPECT_LE(cuts.bytes(), 20 * ((bounds.size() * 24 + 63) / 64) * naive.size());
  }
  return cuts.is_bitmap();
}

TEST(CutSet, AgreesWithASet) {
  EXPECT_TRUE(Walk({9, 7, 5}, 20'000, 1));
  EXPECT_TRUE(Walk({30, 0, 30, 1}, 20'000, 2));
  EXPECT_FALSE(Walk({100'000, 100'000, 100'000}, 20'000, 3));
  EXPECT_FALSE(Walk({1U << 30U, 1U << 30U, 1U << 30U, 1U << 30U}, 5'000, 4));
  EXPECT_TRUE(Walk({60, 60}, 50'000, 5));
}

}  // namespace
}  // namespace heddle::predict
