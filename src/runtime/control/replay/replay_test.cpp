#include "runtime/control/replay/replay.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "runtime/control/testing/fakes.h"
#include "sched/operation.h"
#include "sched/schedule.h"
#include "sched/strategies.h"

namespace heddle::rt::control {
namespace {

constexpr auto kLock = static_cast<uint8_t>(Kind::Lock);
constexpr auto kUnlock = static_cast<uint8_t>(Kind::Unlock);

// Threads T0 and T1 under the schedule T0 lock, T1 lock, T0 unlock. StartReplay is for one schedule in a process: each
// test is in a process of its own, which ends with code 0 when what it does is right.
class ReplayTest : public testing::Test {
 protected:
  ReplayTest() {
    sched::Schedule schedule;
    for (const auto& [thread, operation] : {std::pair{"T0", kLock}, {"T1", kLock}, {"T0", kUnlock}}) {
      schedule.Add(schedule.ThreadIndex(thread), operation, "");
    }
    std::string bytes = sched::CompileSchedule(schedule);
    path_ = testing::TempDir() + "heddle-replay-" + std::to_string(getpid());
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
    threads_.behind = &strategy_;
  }
  ~ReplayTest() override { unlink(path_.c_str()); }

  void Start() {
    ASSERT_TRUE(StartReplay(path_.c_str()));
    for (uint32_t slot = 0; slot < 2; ++slot) {
      threads_[slot]->name = NameInSchedule(("T" + std::to_string(slot)).c_str());
    }
  }
  void Stand(uint32_t slot, uint8_t operation) { threads_[slot]->point.operation = operation; }
  // The next step, by the thread that the schedule names.
  uint32_t Step(uint8_t operation) {
    ControlThread* next = NextOfSchedule();
    if (next == nullptr) return sched::kNoSlot;
    Stand(next->slot, operation);
    CheckStep(next);
    StepPerformed();
    return next->slot;
  }

  std::string path_;
  sched::RoundRobin strategy_;
  FakeScheduler threads_{&strategy_, 2};
};

TEST_F(ReplayTest, StepsComeInTheOrderOfTheSchedule) {
  auto follow = [this] {
    Start();
    bool good = Replaying() && Step(kLock) == 0 && Step(kLock) == 1 && Step(kUnlock) == 0;
    good = good && !ScheduleGoesOn() && NextOfSchedule() == nullptr && !Replaying();  // the strategy behind it goes on
    _exit(good ? 0 : 1);
  };
  EXPECT_EXIT(follow(), testing::ExitedWithCode(0), "");
}

TEST_F(ReplayTest, AnotherOperationDiverges) {
  auto differ = [this] {
    Start();
    Step(kLock);
    Step(kUnlock);
  };
  EXPECT_EXIT(differ(), testing::ExitedWithCode(4), "diverged 2 operation T1 lock 0 unlock 0");
}

TEST_F(ReplayTest, AThreadThatHasToWaitDiverges) {
  auto wait = [this] {
    Start();
    Step(kLock);
    Stand(1, kLock);
    threads_[1]->blocked = true;
    NextOfSchedule();
  };
  EXPECT_EXIT(wait(), testing::ExitedWithCode(4), "diverged 2 blocked T1 lock 0 lock 0");
}

TEST_F(ReplayTest, AThreadThatHasEndedOrNeverWasDiverges) {
  auto end = [this] {
    Start();
    threads_[0]->ended = true;
    NextOfSchedule();
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(4), "diverged 1 ended T0");
  auto absent = [this] {
    Start();
    threads_[0]->name = -1;
    NextOfSchedule();
  };
  EXPECT_EXIT(absent(), testing::ExitedWithCode(4), "diverged 1 absent T0");
}

TEST_F(ReplayTest, AFileThatIsNoScheduleIsRefused) {
  EXPECT_FALSE(StartReplay("/dev/null"));
  EXPECT_FALSE(StartReplay(nullptr));
  truncate(path_.c_str(), 30);
  EXPECT_FALSE(StartReplay(path_.c_str()));
}

}  // namespace
}  // namespace heddle::rt::control
