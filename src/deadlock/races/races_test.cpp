#include "deadlock/races/races.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heddle::deadlock {
namespace {

std::vector<int64_t> OffsetsOf(const Loc& loc) {
  std::vector<int64_t> offsets = {loc.offset};
  for (int64_t at = loc.offset + loc.stride; loc.stride != 0 && at < loc.end; at += loc.stride) offsets.push_back(at);
  return offsets;
}

bool NaiveTouch(const Loc& a, int64_t a_bytes, const Loc& b, int64_t b_bytes) {
  for (int64_t x : OffsetsOf(a)) {
    for (int64_t y : OffsetsOf(b)) {
      if (x < y + b_bytes && y < x + a_bytes) return true;
    }
  }
  return false;
}

Loc RandomLoc(std::mt19937& random) {
  Loc loc;
  loc.offset = random() % 40;
  if (random() % 2 == 0) return loc;
  loc.stride = 1 + random() % 12;
  loc.end = loc.offset + 1 + random() % 60;
  return loc;
}

// It may say yes where there is nothing (progressions that end before they meet), never no where there is something.
TEST(CanTouch, NeverMissesACommonByte) {
  std::mt19937 random(3);
  int touch = 0, apart = 0, wrong = 0;
  for (int round = 0; round < 20000; ++round) {
    Loc a = RandomLoc(random), b = RandomLoc(random);
    int64_t m = 1 + random() % 9, n = 1 + random() % 9;
    bool expected = NaiveTouch(a, m, b, n), found = CanTouch(a, m, b, n);
    EXPECT_TRUE(found || !expected) << a.offset << " " << a.stride << " " << a.end << " " << b.offset << " "
                                    << b.stride;
    EXPECT_EQ(found, CanTouch(b, n, a, m));
    touch += expected ? 1 : 0;
    apart += found ? 0 : 1;
    wrong += found != expected ? 1 : 0;
  }
  EXPECT_GT(touch, 3000);
  EXPECT_GT(apart, 3000);
  EXPECT_LT(wrong, 2000);
}

TEST(CanTouch, IsExactForPlainOffsets) {
  for (int64_t x = 0; x < 10; ++x) {
    for (int64_t m = 1; m < 9; ++m) {
      for (int64_t n = 1; n < 9; ++n) {
        Loc a{0, x, 0, 0}, b{0, 5, 0, 0};
        EXPECT_EQ(CanTouch(a, m, b, n), NaiveTouch(a, m, b, n));
      }
    }
  }
}

TEST(CanTouch, UnknownLengthReachesEverythingBehind) {
  Loc front{0, 0, 0, 0}, back{0, 1000, 0, 0};
  EXPECT_TRUE(CanTouch(front, Locations::kUnbounded, back, 4));
  EXPECT_FALSE(CanTouch(back, Locations::kUnbounded, front, 4));
}

}  // namespace
}  // namespace heddle::deadlock
