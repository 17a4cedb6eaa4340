#include "runtime/control/turn/scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "runtime/control/testing/fakes.h"
#include "sched/strategies.h"

namespace heddle::rt::control {
namespace {

bool IsTrue(const void* context) { return *static_cast<const bool*>(context); }

uint32_t PickedBy(FakeScheduler& threads, uint32_t slot) {
  threads.Be(slot);
  ControlThread* next = PickNext(threads[slot]);
  return next == nullptr ? sched::kNoSlot : next->slot;
}

TEST(SchedulerTest, TurnGoesRoundAmongTheEnabled) {
  sched::RoundRobin strategy;
  FakeScheduler threads(&strategy, 3);
  g_last = 0;
  EXPECT_EQ(PickedBy(threads, 0), 1U);
  MarkBlocked(threads[1], 0x10);
  EXPECT_EQ(PickedBy(threads, 0), 2U);
  Wake(0x10);
  EXPECT_EQ(PickedBy(threads, 0), 1U);
}

TEST(SchedulerTest, PassedTurnIsOneGrantAndOneWake) {
  sched::RoundRobin strategy;
  FakeScheduler threads(&strategy, 3);
  g_last = 0;
  threads.Be(0);
  PassTurn(threads[0]);
  EXPECT_EQ(threads[1]->grant.load(), kPerform);
  EXPECT_EQ(threads[0]->grant.load(), kNone);
  EXPECT_EQ(threads[2]->grant.load(), kNone);
  EXPECT_EQ(threads.carrier().woken, std::vector<uint32_t>{1});
}

TEST(SchedulerTest, WakeIsForThoseWhoWaitForTheObject) {
  sched::RoundRobin strategy;
  FakeScheduler threads(&strategy, 3);
  MarkBlocked(threads[1], 0x10);
  MarkBlocked(threads[2], 0x20);
  Wake(0x20);
  EXPECT_TRUE(threads[1]->blocked);
  EXPECT_FALSE(threads[2]->blocked);
  EXPECT_FALSE(g_enabled.Has(1));
  EXPECT_TRUE(g_enabled.Has(2));
}

// A thread that waits for one object is passed over while another has it, without a turn of its own.
TEST(SchedulerTest, ThreadThatIsNotReadyIsPassedOver) {
  sched::RoundRobin strategy;
  FakeScheduler threads(&strategy, 3);
  bool free = false;
  threads[1]->until_ready = true;
  threads[1]->blocked_on = 0x10;
  threads[1]->point.ready = IsTrue;
  threads[1]->point.context = &free;
  g_last = 0;
  EXPECT_EQ(PickedBy(threads, 0), 2U);
  EXPECT_TRUE(threads[1]->blocked);
  free = true;
  Wake(0x10);
  EXPECT_EQ(PickedBy(threads, 0), 1U);
}

TEST(SchedulerTest, NobodyLeftIsADeadlock) {
  sched::RoundRobin strategy;
  FakeScheduler threads(&strategy, 2);
  MarkBlocked(threads[0], 0x10);
  MarkBlocked(threads[1], 0x20);
  EXPECT_THROW(PickedBy(threads, 0), DeadlockReported);
}

// What became possible without an operation on it is no deadlock, nor is what something outside ends.
TEST(SchedulerTest, NoDeadlockWhileSomethingCanChange) {
  sched::RoundRobin strategy;
  FakeScheduler threads(&strategy, 2);
  bool ready = true;
  MarkBlocked(threads[0], 0x10);
  MarkBlocked(threads[1], 0x20);
  threads[1]->point.ready = IsTrue;
  threads[1]->point.context = &ready;
  EXPECT_EQ(PickedBy(threads, 0), 1U);
  ready = false;
  MarkBlocked(threads[1], 0x20);
  threads.somebody_outside = true;
  EXPECT_NE(PickedBy(threads, 0), sched::kNoSlot);
}

TEST(SchedulerTest, ArrivalsAreServedInTheirOrder) {
  sched::Queue strategy;
  FakeScheduler threads(&strategy, 3);
  for (uint32_t slot : {2U, 0U, 1U}) Enqueue(threads[slot]);
  EXPECT_EQ(PickedBy(threads, 0), 2U);
  EXPECT_EQ(PickedBy(threads, 2), 0U);
  EXPECT_EQ(PickedBy(threads, 0), 1U);
}

TEST(SchedulerTest, TurnIsFreeWhenArrivalsAreUnderWay) {
  sched::Queue strategy;
  FakeScheduler threads(&strategy, 2);
  EXPECT_EQ(PickedBy(threads, 0), sched::kNoSlot);
  EXPECT_TRUE(g_free);
}

// The turn is free until the first of the queue, which sleeps, has come; it is woken once.
TEST(SchedulerTest, SleeperIsOfferedTheTurn) {
  sched::Queue strategy;
  FakeScheduler threads(&strategy, 3);
  g_on_fibers = false;
  Enqueue(threads[1]);
  Enqueue(threads[2]);
  threads[1]->sleeping.store(1);
  for (int step = 0; step < 5; ++step) {
    threads.Be(0);
    PassTurn(threads[0]);
    EXPECT_TRUE(g_free);
    EXPECT_EQ(threads[1]->grant.load(), kTry);
    EXPECT_EQ(g_head, threads[1]);
    TakeFreeTurn(threads[0]);  // it was faster
  }
  EXPECT_EQ(threads.carrier().woken, std::vector<uint32_t>{1});
  threads[1]->sleeping.store(0);
  PassTurn(threads[0]);
  EXPECT_FALSE(g_free);
  EXPECT_EQ(threads[1]->grant.load(), kPerform);
  EXPECT_EQ(g_head, threads[2]);
}

TEST(SchedulerTest, SleeperIsGivenTheTurnInTheEnd) {
  sched::Queue strategy;
  FakeScheduler threads(&strategy, 2);
  g_on_fibers = false;
  Enqueue(threads[1]);
  threads[1]->sleeping.store(1);
  threads.Be(0);
  int steps = 0;
  for (; threads[1]->grant.load() != kPerform && steps < 1000; ++steps) {
    if (g_free) TakeFreeTurn(threads[0]);
    PassTurn(threads[0]);
  }
  EXPECT_LT(steps, 300);
  EXPECT_FALSE(g_free);
  EXPECT_FALSE(threads[1]->queued);
}

TEST(SchedulerTest, WhoeverTakesAFreeTurnLeavesTheQueue) {
  sched::Queue strategy;
  FakeScheduler threads(&strategy, 4);
  for (uint32_t slot : {1U, 2U, 3U}) Enqueue(threads[slot]);
  for (uint32_t slot : {2U, 3U}) {
    g_free = true;
    TakeFreeTurn(threads[slot]);
    EXPECT_FALSE(threads[slot]->queued);
  }
  Enqueue(threads[2]);
  EXPECT_EQ(PickedBy(threads, 0), 1U);
  EXPECT_EQ(PickedBy(threads, 1), 2U);
  EXPECT_EQ(g_head, nullptr);
}

TEST(SchedulerTest, SlowThreadLosesTheTurnOnlyToAnother) {
  sched::RoundRobin strategy;
  FakeScheduler threads(&strategy, 2);
  threads[0]->grant.store(kPerform);
  EXPECT_TRUE(PassOver(threads[0]));
  EXPECT_EQ(threads[0]->grant.load(), kPassed);
  EXPECT_EQ(threads[1]->grant.load(), kPerform);
  EXPECT_TRUE(threads[0]->away);
  threads[1]->grant.store(kPerform);
  EXPECT_FALSE(PassOver(threads[1]));  // nobody else can go
  EXPECT_EQ(threads[1]->grant.load(), kPerform);
  EXPECT_TRUE(g_enabled.Has(1));
}

// Against a naive scheduler: a map of who waits for what.
TEST(SchedulerTest, EnabledSetIsThatOfANaiveOne) {
  sched::RandomWalk strategy(7);
  FakeScheduler threads(&strategy, 6);
  std::map<uint32_t, uint64_t> waits;
  std::mt19937 random(3);
  for (int step = 0; step < 5000; ++step) {
    uint32_t slot = random() % 6;
    uint64_t object = 0x10 * (1 + random() % 4);
    if (random() % 2 == 0 && waits.size() < 5 && !waits.contains(slot)) {
      MarkBlocked(threads[slot], object);
      waits[slot] = object;
    } else {
      Wake(object);
      std::erase_if(waits, [&](const auto& wait) { return wait.second == object; });
    }
    for (uint32_t i = 0; i < 6; ++i) {
      ASSERT_EQ(g_enabled.Has(i), !waits.contains(i)) << step;
      ASSERT_EQ(threads[i]->blocked, waits.contains(i)) << step;
    }
    ASSERT_FALSE(waits.contains(PickedBy(threads, 0))) << step;
  }
}

}  // namespace
}  // namespace heddle::rt::control
