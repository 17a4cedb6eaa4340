#include "analysis/check/run_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/test_reports.h"

namespace heddle::analysis {
namespace {

using findings::TestEnd;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(AddTest, EqualFindingsCarryAllTheirTests) {
  findings::Report race = findings::RaceReport();
  findings::Report suite;
  TestOutcome outcome;
  outcome.code = 1;
  outcome.report = &race;
  AddTest({"two", {"./t"}, "", {}, false, 0, ""}, outcome, suite);
  AddTest({"one", {"./t"}, "", {}, false, 0, ""}, outcome, suite);
  FinishSuite(suite);
  ASSERT_EQ(suite.findings.size(), 1U);
  EXPECT_EQ(suite.findings[0].count, 2U);
  EXPECT_THAT(suite.findings[0].tests, ElementsAre("one", "two"));
  EXPECT_THAT(suite.tests[1].findings, ElementsAre("F1"));
  EXPECT_EQ(suite.tests[0].end, TestEnd::kFindings);
  EXPECT_EQ(suite.coverage.runs, 2U);
  EXPECT_TRUE(suite.coverage.complete);
  EXPECT_THAT(suite.findings[0].replay, HasSubstr("F1.schedule"));
}

TEST(AddTest, NoReportIsNeverClean) {
  findings::Report suite;
  TestOutcome outcome;
  outcome.last_line = "heddle check: ./t was not built with heddle cc";
  AddTest({"t", {"./t"}, "", {}, false, 0, ""}, outcome, suite);
  FinishSuite(suite);
  EXPECT_EQ(suite.tests[0].end, TestEnd::kUndecided);
  EXPECT_THAT(suite.coverage.undecided, HasSubstr("1 of 1 tests: t (heddle check: ./t was not built"));
  EXPECT_FALSE(suite.coverage.complete);
}

TEST(AddTest, ATestThatIsCutIsUndecidedThoughItsReportIsEmpty) {
  findings::Report cut;
  cut.coverage.undecided = "the program was stopped by the time limit";
  findings::Report suite;
  TestOutcome outcome;
  outcome.code = 3;
  outcome.report = &cut;
  AddTest({"t", {"./t"}, "", {}, false, 0, ""}, outcome, suite);
  EXPECT_EQ(suite.tests[0].end, TestEnd::kUndecided);
  EXPECT_EQ(suite.tests[0].reason, cut.coverage.undecided);
  TestOutcome killed;
  killed.timed_out = true;
  AddTest({"u", {"./u"}, "", {}, false, 0, ""}, killed, suite);
  FinishSuite(suite);
  EXPECT_THAT(suite.coverage.undecided, HasSubstr("2 of 2 tests"));
}

TEST(AddTest, AnExpectedFailureIsNone) {
  findings::Report failed;
  failed.coverage.complete = true;
  findings::Finding failure;
  failure.kind = findings::Kind::kFailure;
  failure.message = "the program ended with exit code 1";
  findings::AddFinding(failed, failure);
  findings::Report suite;
  TestOutcome outcome;
  outcome.code = 1;
  outcome.report = &failed;
  AddTest({"expected", {"./t"}, "", {}, true, 0, ""}, outcome, suite);
  AddTest({"not", {"./t"}, "", {}, false, 0, ""}, outcome, suite);
  EXPECT_EQ(suite.tests[0].end, TestEnd::kClean);
  EXPECT_EQ(suite.tests[1].end, TestEnd::kFindings);
}

// A heddle that could not write its files ends with 2 or 3, though its report has nothing.
TEST(AddTest, OnlyAnAnswerIsAnAnswer) {
  findings::Report empty;
  for (int code : {1, 2, 3, 5, 137}) {
    findings::Report suite;
    TestOutcome outcome;
    outcome.code = code;
    outcome.report = &empty;
    AddTest({"t", {"./t"}, "", {}, false, 0, ""}, outcome, suite);
    EXPECT_EQ(suite.tests[0].end, TestEnd::kUndecided) << code;
  }
}

TEST(AddTest, WhatCtestWouldNotCallPassedIsNotClean) {
  findings::Report passed;
  passed.exit = 0;
  findings::Report skipped;
  skipped.exit = 77;
  findings::Finding failure;
  failure.kind = findings::Kind::kFailure;
  failure.message = "exit code 77";
  findings::AddFinding(skipped, failure);
  TestOutcome zero;
  zero.report = &passed;
  TestOutcome code;
  code.code = 1;
  code.report = &skipped;
  findings::Report suite;
  AddTest({"will fail", {"t"}, "", {}, true, 0, ""}, zero, suite);
  AddTest({"skips", {"t"}, "", {}, false, 77, ""}, code, suite);
  AddTest({"by output", {"t"}, "", {}, false, 0, "PASS_REGULAR_EXPRESSION"}, zero, suite);
  AddTest({"fails", {"t"}, "", {}, true, 0, ""}, code, suite);
  FinishSuite(suite);
  EXPECT_EQ(suite.tests[0].end, TestEnd::kUndecided);
  EXPECT_EQ(suite.tests[1].end, TestEnd::kUndecided);
  EXPECT_EQ(suite.tests[1].reason, "it skipped itself (exit code 77)");
  EXPECT_EQ(suite.tests[2].end, TestEnd::kUndecided);
  EXPECT_EQ(suite.tests[3].end, TestEnd::kClean);
  EXPECT_TRUE(suite.findings.empty());
}

}  // namespace
}  // namespace heddle::analysis
