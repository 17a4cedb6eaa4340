#include "analysis/predict/predict_run.h"

#include <gtest/gtest.h>

namespace heddle::analysis {
namespace {

findings::Coverage CoverageOf(const PredictTotals& totals) {
  findings::Report report;
  SetPredictCoverage(totals, {.events = 10, .threads = 2, .run_cut = false, .trace_cut = false}, report);
  return report.coverage;
}

TEST(PredictCoverage, WhatReplaysRuledOutIsDecided) {
  PredictTotals totals;
  totals.replays = 3;
  totals.ruled_out = 2;
  findings::Coverage coverage = CoverageOf(totals);
  EXPECT_TRUE(coverage.complete);
  EXPECT_NE(coverage.scope.find("2 ruled out by replays"), std::string::npos) << coverage.scope;
}

TEST(PredictCoverage, WhatNoReplayConfirmedIsOpen) {
  PredictTotals totals;
  totals.replays = 3;
  totals.ruled_out = 2;
  totals.unconfirmed = 1;
  findings::Coverage coverage = CoverageOf(totals);
  EXPECT_FALSE(coverage.complete);
  EXPECT_EQ(coverage.scope, "");
  EXPECT_EQ(coverage.bound, "1 prediction that no replay confirmed (--all)");
}

// A trace alone has nothing to replay: its predictions are its answers.
TEST(PredictCoverage, OfATraceNothingIsReplayed) {
  PredictTotals totals;
  totals.unconfirmed = 1;
  EXPECT_TRUE(CoverageOf(totals).complete);
}

}  // namespace
}  // namespace heddle::analysis
