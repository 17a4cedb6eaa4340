#include "runtime/control/turn/waits.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "runtime/control/testing/fakes.h"
#include "sched/strategies.h"

namespace heddle::rt::control {
namespace {

constexpr uint64_t kCond = 0x1000;
constexpr uint32_t kThreads = 8;

class WaitsTest : public testing::Test {
 protected:
  ~WaitsTest() override {
    for (uint32_t slot = 0; slot < kThreads; ++slot) Leave(slot);
  }
  void Wait(uint32_t slot) {
    threads_.Be(slot);
    StartWaiting(kCond);
  }
  bool Leave(uint32_t slot) {
    threads_.Be(slot);
    return threads_[slot]->waits_at != nullptr && StopWaiting();
  }
  bool CanLeave(uint32_t slot) { return CanStopWaiting(threads_[slot]); }

  sched::RoundRobin strategy_;
  FakeScheduler threads_{&strategy_, kThreads};
};

TEST_F(WaitsTest, SignalLetsAnyOneOfThoseThatWaitedGo) {
  Wait(0);
  Wait(1);
  EXPECT_EQ(WakeSome(kCond, 1), 1U);
  EXPECT_TRUE(CanLeave(0));
  EXPECT_TRUE(CanLeave(1));
  EXPECT_TRUE(Leave(1));
  EXPECT_FALSE(CanLeave(0));
}

TEST_F(WaitsTest, WhoComesLaterIsNotWoken) {
  Wait(0);
  Wait(1);
  WakeSome(kCond, 1);
  Wait(2);
  EXPECT_FALSE(CanLeave(2));
  EXPECT_TRUE(CanLeave(0));
}

// The older waiter could take either token; it leaves the younger one to who needs it.
TEST_F(WaitsTest, NoTokenIsWasted) {
  Wait(0);
  Wait(1);
  WakeSome(kCond, 1);
  Wait(2);
  Wait(3);
  WakeSome(kCond, 1);
  EXPECT_TRUE(Leave(0));
  EXPECT_TRUE(CanLeave(2));
  EXPECT_TRUE(Leave(2));
  EXPECT_FALSE(CanLeave(1));
  EXPECT_FALSE(CanLeave(3));
}

TEST_F(WaitsTest, SignalWithoutWaitersIsLost) {
  EXPECT_EQ(WakeSome(kCond, 1), 0U);
  Wait(0);
  EXPECT_FALSE(CanLeave(0));
}

TEST_F(WaitsTest, BroadcastWakesThoseThatWaitAndNobodyElse) {
  Wait(0);
  Wait(1);
  EXPECT_EQ(WakeAll(kCond), 2U);
  Wait(2);
  EXPECT_TRUE(CanLeave(0));
  EXPECT_TRUE(CanLeave(1));
  EXPECT_FALSE(CanLeave(2));
}

TEST_F(WaitsTest, LeavingWithoutATokenSaysSo) {
  Wait(0);
  EXPECT_FALSE(Leave(0));
}

// Every wake-up that found a waiter lets exactly one thread go, in whatever order they leave; late ones get none.
TEST_F(WaitsTest, WakeUpsAreNeitherLostNorDoubled) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    uint32_t given = 0, taken = 0;
    std::set<uint32_t> waiting;
    for (int step = 0; step < 40; ++step) {
      uint32_t slot = random() % kThreads;
      switch (random() % 4) {
        case 0:
          if (waiting.insert(slot).second) Wait(slot);
          break;
        case 1:
          given += WakeSome(kCond, 1 + random() % 2);
          break;
        case 2:
          if (random() % 4 != 0) break;
          WakeAll(kCond);
          given = taken + static_cast<uint32_t>(waiting.size());  // all that wait now, each once
          break;
        default:
          if (!waiting.contains(slot) || !CanLeave(slot)) break;
          ASSERT_TRUE(Leave(slot));
          waiting.erase(slot);
          ++taken;
      }
    }
    for (bool again = true; again;) {
      again = false;
      for (uint32_t slot : std::set<uint32_t>(waiting)) {
        if (!CanLeave(slot)) continue;
        ASSERT_TRUE(Leave(slot));
        waiting.erase(slot);
        ++taken;
        again = true;
      }
    }
    ASSERT_EQ(given, taken) << round;
    for (uint32_t slot : waiting) ASSERT_FALSE(Leave(slot));
  }
}

TEST_F(WaitsTest, BarrierOpensWithItsLastThread) {
  MakeBarrier(kCond, 3);
  Arrival first = ArriveAtBarrier(kCond);
  EXPECT_FALSE(first.last);
  EXPECT_FALSE(ArriveAtBarrier(kCond).last);
  EXPECT_FALSE(BarrierOpen(kCond, first.round));
  EXPECT_TRUE(ArriveAtBarrier(kCond).last);
  EXPECT_TRUE(BarrierOpen(kCond, first.round));
  EXPECT_EQ(ArriveAtBarrier(kCond).round, first.round + 1);  // the next round
  ForgetBarrier(kCond);
}

}  // namespace
}  // namespace heddle::rt::control
