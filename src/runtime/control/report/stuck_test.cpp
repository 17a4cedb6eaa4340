#include "runtime/control/report/stuck.h"

#include <gtest/gtest.h>

#include "runtime/control/testing/fakes.h"
#include "sched/operation.h"
#include "sched/strategies.h"

namespace heddle::rt::control {
namespace {

bool No(const void* /*context*/) { return false; }
bool Yes(const void* /*context*/) { return true; }

void WaitsForLock(ControlThread* thread, uint64_t lock, bool (*ready)(const void*) = No) {
  thread->blocked = true;
  thread->point.operation = static_cast<uint8_t>(Kind::Lock);
  thread->point.address = lock;
  thread->point.ready = ready;
}

void HoldsLock(ControlThread* thread, uint64_t lock) { thread->held[thread->held_count++].lock = lock; }

class StuckTest : public testing::Test {
 protected:
  std::vector<uint32_t> Stuck() {
    std::vector<uint32_t> slots;
    FindStuckNow(threads_[3]).ForEach([&](uint32_t slot) { slots.push_back(slot); });
    return slots;
  }
  using Slots = std::vector<uint32_t>;

  sched::RoundRobin strategy_;
  FakeScheduler threads_{&strategy_, 4};  // the last one runs
};

TEST_F(StuckTest, TwoThatWaitForEachOther) {
  HoldsLock(threads_[0], 1);
  HoldsLock(threads_[1], 2);
  WaitsForLock(threads_[0], 2);
  WaitsForLock(threads_[1], 1);
  EXPECT_EQ(Stuck(), (Slots{0, 1}));
  // Whoever waits for one of them never goes on either.
  threads_[2]->blocked = true;
  threads_[2]->point.operation = static_cast<uint8_t>(Kind::ThreadJoin);
  threads_[2]->point.address = JoinKey(1);
  threads_[2]->point.ready = No;
  EXPECT_EQ(Stuck(), (Slots{0, 1, 2}));
}

TEST_F(StuckTest, AHolderThatRunsMayLetGo) {
  HoldsLock(threads_[3], 1);
  WaitsForLock(threads_[0], 1);
  EXPECT_TRUE(Stuck().empty());
}

TEST_F(StuckTest, WhoCouldGoOnIsNotStuck) {
  HoldsLock(threads_[0], 1);
  HoldsLock(threads_[1], 2);
  WaitsForLock(threads_[0], 2);
  WaitsForLock(threads_[1], 1, Yes);
  EXPECT_TRUE(Stuck().empty());
}

// A semaphore has no holder: whoever posts it is not known, so nothing is said.
TEST_F(StuckTest, OnlyLocksAndJoinsCount) {
  HoldsLock(threads_[0], 1);
  WaitsForLock(threads_[0], 1);
  threads_[0]->point.operation = static_cast<uint8_t>(Kind::SemWait);
  EXPECT_TRUE(Stuck().empty());
}

TEST_F(StuckTest, OneThreadCanWaitForItself) {
  HoldsLock(threads_[0], 1);
  WaitsForLock(threads_[0], 1);
  EXPECT_EQ(Stuck(), Slots{0});
}

}  // namespace
}  // namespace heddle::rt::control
