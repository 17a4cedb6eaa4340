#include "analysis/predict/predict_confirm.h"

#include <gtest/gtest.h>

#include "analysis/testing/fake_target.h"
#include "analysis/testing/temporary_folder.h"

namespace heddle::analysis {
namespace {

using explore::Instruction;

// T0 and T1 take two locks in opposite orders.
explore::ModelProgram CrossedLocks() {
  explore::ModelProgram program;
  program.threads = {
      {{Instruction::kLock, 0}, {Instruction::kLock, 1}, {Instruction::kUnlock, 1}, {Instruction::kUnlock, 0}},
      {{Instruction::kLock, 1}, {Instruction::kLock, 0}, {Instruction::kUnlock, 0}, {Instruction::kUnlock, 1}}};
  return program;
}

class ConfirmerTest : public testing::Test {
 protected:
  sched::Schedule Of(const std::vector<const char*>& threads) {
    sched::Schedule schedule;
    for (const char* thread : threads) schedule.Add(schedule.ThreadIndex(thread), Instruction::kLock + 1, "");
    return schedule;
  }

  FakeTarget target_{CrossedLocks()};
  TemporaryFolder folder_;
  sched::Schedule recorded_;
  Confirmer confirmer_{target_, {"fake"}, recorded_, folder_.path(), 1, Deadline{}, nullptr};
};

TEST_F(ConfirmerTest, WitnessOfADeadlockIsConfirmed) {
  Result<Confirmation> end = confirmer_.Try(Of({"T0", "T1"}));
  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_FALSE(end->divergence);
  ASSERT_EQ(end->report.findings.size(), 1U);
  EXPECT_EQ(end->report.findings[0].status, findings::FindingStatus::kConfirmed);
  EXPECT_EQ(confirmer_.runs(), 1U);
  EXPECT_EQ(confirmer_.outcomes().failed, 0U);  // a deadlock is not the program's own word
}

TEST_F(ConfirmerTest, HarmlessOrderShowsNothing) {
  Result<Confirmation> end = confirmer_.Try(Of({"T0", "T0"}));
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->report.findings.empty());
  EXPECT_EQ(end->performed.Steps(), 8U);  // the whole run, which can be replayed
  EXPECT_EQ(confirmer_.outcomes().succeeded, 1U);
}

// T1 cannot take lock 1 while T0 has it: no such run, and no finding.
TEST_F(ConfirmerTest, InfeasibleWitnessDiverges) {
  Result<Confirmation> end = confirmer_.Try(Of({"T0", "T0", "T1"}));
  ASSERT_TRUE(end.ok());
  ASSERT_TRUE(end->divergence);
  EXPECT_EQ(end->divergence->step, 3U);
  EXPECT_TRUE(end->report.findings.empty());
}

TEST_F(ConfirmerTest, FailuresAreCounted) {
  target_.exit_code = [](const std::string&) { return 7; };
  Result<Confirmation> end = confirmer_.Try(Of({"T0", "T0"}));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(confirmer_.outcomes().failed, 1U);
  ASSERT_EQ(end->report.findings.size(), 1U);
  EXPECT_EQ(end->report.findings[0].kind, findings::Kind::kFailure);
}

}  // namespace
}  // namespace heddle::analysis
