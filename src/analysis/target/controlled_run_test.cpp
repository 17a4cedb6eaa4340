// How much of a run's steps is read.
#include "analysis/target/controlled_run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "analysis/target/run_files.h"
#include "base/file.h"
#include "wire/step_format.h"

namespace heddle::analysis {
namespace {

class ReadEndTest : public testing::Test {
 protected:
  void SetUp() override {
    run_.folder = testing::TempDir() + "/controlled_run_test";
    run_.command = {"program"};
    std::filesystem::create_directories(run_.folder);
    ASSERT_TRUE(WriteFileAtomic(run_.folder + kFindingsName, "heddle-detect 1\nfinished\n").ok());
  }
  void TearDown() override { std::filesystem::remove_all(run_.folder); }

  // Steps of one thread at two places in turns, `live` of which are really there.
  void WriteSteps(uint64_t packed, uint32_t live) const {
    std::string bytes(wire::kStepsHeaderBytes + wire::kLiveBytes, '\0');
    wire::StepsHeader header{};
    std::memcpy(header.magic, wire::kStepsMagic, sizeof wire::kStepsMagic);
    header.packed_steps = packed;
    header.live_steps = live;
    std::memcpy(bytes.data(), &header, sizeof header);
    for (uint32_t i = 0; i < live; ++i) {
      wire::Step step{0, 1, 0, 0, 100 + i % 2};
      std::memcpy(bytes.data() + wire::kStepsHeaderBytes + i * sizeof step, &step, sizeof step);
    }
    ASSERT_TRUE(WriteFileAtomic(run_.folder + kStepsName, bytes).ok());
  }

  ControlledRun run_;
};

TEST_F(ReadEndTest, AllOfIt) {
  WriteSteps(0, 1000);
  for (bool bounded : {false, true}) {
    if (bounded) run_.read_until = Deadline();
    Result<ControlledEnd> end = ReadEnd(run_);
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_FALSE(end->unread);
    EXPECT_EQ(end->damage, "");
    EXPECT_EQ(end->schedule.Steps(), 1000U);
    EXPECT_EQ(end->code, (std::set<uint64_t>{100, 101}));
  }
}

TEST_F(ReadEndTest, NothingWithoutTime) {
  WriteSteps(0, 1000);
  run_.read_until = Deadline::After(0);
  Result<ControlledEnd> end = ReadEnd(run_);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->unread);
  EXPECT_EQ(end->damage, "there was no time to read the run's 1000 steps (--time)");
  EXPECT_EQ(end->schedule.Steps(), 0U);
}

// A thread that waits in a loop performs millions in a second.
TEST_F(ReadEndTest, NothingOfVeryMany) {
  WriteSteps(100'000'000, 1000);
  run_.read_until = Deadline();
  Result<ControlledEnd> end = ReadEnd(run_);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->unread);
  EXPECT_EQ(end->damage, "the run has 100001000 steps, more than are read");
}

}  // namespace
}  // namespace heddle::analysis
