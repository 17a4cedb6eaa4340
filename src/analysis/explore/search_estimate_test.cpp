#include "analysis/explore/search_estimate.h"

#include <gtest/gtest.h>

namespace heddle::analysis {
namespace {

TEST(SearchEstimate, ErrorIsHowFarItMovedWhileTheSearchDoubled) {
  SearchEstimate steady;
  SearchEstimate growing;
  for (int i = 1; i <= 100; ++i) {
    steady.Count([&] { return i / 1000.0; });
    growing.Count([&] { return i <= 40 ? i / 500.0 : i / 1000.0; });
  }
  EXPECT_EQ(AboutText(steady.Now(0.1)), "about 1000 ± 450");
  // After 32 executions it was 500, after 64 of them 1000.
  EXPECT_EQ(AboutText(growing.Now(0.1)), "about 1000 ± 500");
}

TEST(SearchEstimate, FirstGuessesAreCalledSo) {
  SearchEstimate estimate;
  estimate.Count([] { return 0.01; });
  EXPECT_EQ(AboutText(estimate.Now(0.01)), "roughly 100");
}

TEST(SearchEstimate, WhatTheFirstExecutionLetsExpectHasItsCondition) {
  EXPECT_EQ(ExpectedText({40320, 0}), "about 40000 if all threads do the same in every order");
  EXPECT_EQ(ExpectedText({40320, 9000}), "about 40000 ± 9000 if all threads do the same in every order");
}

TEST(SearchEstimate, IsExactAtTheEnd) {
  SearchEstimate estimate;
  for (int i = 1; i <= 64; ++i) estimate.Count([&] { return i / 64.0; });
  EXPECT_EQ(estimate.Now(1).executions, 64);
}

}  // namespace
}  // namespace heddle::analysis
