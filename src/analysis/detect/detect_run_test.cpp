#include "analysis/detect/detect_run.h"

#include <gtest/gtest.h>

#include <csignal>

#include "analysis/testing/fake_target.h"
#include "analysis/testing/temporary_folder.h"

namespace heddle::analysis {
namespace {

constexpr char kRace[] =
    "heddle-detect 1\nthread 0 T0 0\nthread 1 T1 0\n"
    "race 0\naccess 1 1 1000 4\nstack a\nlocks\naccess 0 0 1000 4\nstack b\nlocks\nend\ncount 0 3\n";

class DetectRunTest : public testing::Test {
 protected:
  Result<DetectEnd> Detect() {
    DetectRun run;
    run.command = {"fake"};
    run.target = &target_;
    run.folder = folder_.path();
    return DetectProgram(run);
  }
  findings::Report ReportOfRun() {
    Result<DetectEnd> end = Detect();
    EXPECT_TRUE(end.ok()) << end.error().message;
    return end.ok() ? end->report : findings::Report{};
  }

  FakeTarget target_{explore::ModelProgram{}};
  TemporaryFolder folder_;
};

TEST_F(DetectRunTest, CleanRunIsDecided) {
  findings::Report report = ReportOfRun();
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.coverage.undecided.empty());
}

TEST_F(DetectRunTest, RaceIsProvedAndCounted) {
  target_.findings_file = std::string(kRace) + "finished\n";
  findings::Report report = ReportOfRun();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].kind, findings::Kind::kDataRace);
  EXPECT_EQ(report.findings[0].count, 3U);
}

TEST_F(DetectRunTest, ProgramWithoutHeddleIsAnError) {
  target_.findings_file = "";
  Result<DetectEnd> end = Detect();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kUnsupported);
}

TEST_F(DetectRunTest, AnotherFileIsAnError) {
  target_.findings_file = "something else\n";
  Result<DetectEnd> end = Detect();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kBadInput);
}

// Findings are missing: silence means nothing.
TEST_F(DetectRunTest, CutFileIsNotDecided) {
  target_.findings_file = "heddle-detect 1\nthread 0 T0 0\nfin";
  EXPECT_NE(ReportOfRun().coverage.undecided.find("is cut"), std::string::npos);
}

TEST_F(DetectRunTest, KilledProgramIsNotClean) {
  target_.findings_file = "heddle-detect 1\n";
  target_.free_end.signal = SIGKILL;
  target_.free_end.code = 128 + SIGKILL;
  EXPECT_FALSE(ReportOfRun().coverage.undecided.empty());
  target_.free_end.signal = SIGSEGV;
  findings::Report crash = ReportOfRun();
  ASSERT_EQ(crash.findings.size(), 1U);
  EXPECT_EQ(crash.findings[0].kind, findings::Kind::kCrash);
}

TEST_F(DetectRunTest, ForeignAllocatorIsNotDecided) {
  target_.findings_file = "heddle-detect 1\nallocator malloc /lib/libother.so\nfinished\n";
  EXPECT_NE(ReportOfRun().coverage.undecided.find("/lib/libother.so"), std::string::npos);
}

TEST_F(DetectRunTest, OptionsOfTheProgramHide) {
  target_.findings_file = std::string(kRace) + "option report_bugs=0\nfinished\n";
  Result<DetectEnd> end = Detect();
  ASSERT_TRUE(end.ok());
  end->hide(end->report);
  ASSERT_EQ(end->report.findings.size(), 1U);
  EXPECT_TRUE(end->report.findings[0].suppressed.has_value());
}

}  // namespace
}  // namespace heddle::analysis
