#include "analysis/target/outcome.h"

#include <gtest/gtest.h>

#include <csignal>

namespace heddle::analysis {
namespace {

using Names = std::vector<std::string>;

TEST(Outcome, NamesFailedTestsOfGoogleTest) {
  EXPECT_EQ(FailedTests("[ RUN      ] A.One\n[  FAILED  ] A.One (0 ms)\n[       OK ] A.Two (1 ms)\n"
                        "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.One\n"),
            Names{"A.One"});
  EXPECT_EQ(FailedTests("[  FAILED  ] Sizes/Q.Holds/3, where GetParam() = 8 (0 ms)\n"), Names{"Sizes/Q.Holds/3"});
  EXPECT_EQ(FailedTests("[       OK ] A.Two (1 ms)\n[  PASSED  ] 1 test.\n"), Names{});
}

TEST(Outcome, NamesFailedTestsOfCatchAndDoctest) {
  std::string rule(79, '-');
  std::string dots(79, '.');
  EXPECT_EQ(FailedTests(rule + "\nqueue keeps order\n" + rule + "\nq.cpp:3\n" + dots +
                        "\n\nq.cpp:6: FAILED:\n  REQUIRE( a == b )\n"),
            Names{"queue keeps order"});
  EXPECT_EQ(FailedTests("TEST CASE:  pop empties\n\nq.cpp:9: ERROR: CHECK( n == 0 ) is NOT correct!\n"),
            Names{"pop empties"});
}

TEST(Outcome, LastLinesAreNotEmpty) {
  EXPECT_EQ(LastLines("a\n\nb\n  \nc", 2), (Names{"b", "c"}));
  EXPECT_EQ(LastLines("", 2), Names{});
}

findings::Report Of(ChildEnd end, const detect::FindingsFile& file = {}) {
  findings::Report report;
  AddOutcome(end, file, true, report);
  return report;
}

TEST(Outcome, KilledFromOutsideIsNotDecided) {
  for (int number : {SIGKILL, SIGTERM, SIGPIPE}) {
    ChildEnd end;
    end.signal = number;
    end.code = 128 + number;
    findings::Report report = Of(end);
    EXPECT_TRUE(report.findings.empty());
    EXPECT_FALSE(report.coverage.undecided.empty());
  }
}

TEST(Outcome, SeccompIsNoCrashOnlyWhenTheProgramAskedForIt) {
  ChildEnd end;
  end.signal = SIGSYS;
  detect::FindingsFile file;
  EXPECT_EQ(Of(end, file).findings.size(), 1U);
  file.seccomp = true;
  EXPECT_TRUE(Of(end, file).findings.empty());
}

TEST(Outcome, AnExitCodeCountsUnlessHeddleEndedTheProgram) {
  ChildEnd end;
  end.code = 1;
  ASSERT_EQ(Of(end).findings.size(), 1U);
  EXPECT_EQ(Of(end).findings[0].kind, findings::Kind::kFailure);
  detect::FindingsFile file;
  file.deadlocks.emplace_back();
  EXPECT_TRUE(Of(end, file).findings.empty());
}

TEST(Outcome, SaysWhetherTheOrderMatters) {
  ChildEnd end;
  end.code = 1;
  end.output = "[  FAILED  ] A.One\n[  FAILED  ] A.Two\n";
  findings::Report report = Of(end);
  ASSERT_EQ(report.findings.size(), 2U);
  Outcomes outcomes{0, 4, {{"A.One", 4}, {"A.Two", 1}}};
  ExplainFailures(outcomes, true, report);
  EXPECT_NE(report.findings[0].why.find("does not matter"), std::string::npos);
  EXPECT_NE(report.findings[1].why.find("matters"), std::string::npos);
}

TEST(Outcome, FindsTheLastAssertion) {
  EXPECT_EQ(AssertionIn("a\np: p.c:7: int main(): Assertion `x' failed.\nAborted\n"),
            "p: p.c:7: int main(): Assertion `x' failed.");
  EXPECT_EQ(AssertionIn("p: p.c:7: main: Assertion `x' failed."), "p: p.c:7: main: Assertion `x' failed.");
  EXPECT_EQ(AssertionIn("no such thing\n"), "");
}

TEST(Outcome, DifferentExitCodesAreNotOneEnd) {
  ChildEnd end;
  end.code = 1;
  findings::Report report = Of(end);
  end.code = 2;
  report.findings.push_back(Of(end).findings[0]);
  ExplainFailures({0, 4, {}}, true, report);
  for (const findings::Finding& finding : report.findings) {
    EXPECT_EQ(finding.why, "4 of 4 executions fail, with 2 different exit codes: the order of the threads matters");
  }
}

}  // namespace
}  // namespace heddle::analysis
