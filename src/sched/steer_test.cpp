#include "sched/steer.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sched/model_program.h"

namespace heddle::sched {
namespace {

constexpr uint64_t kA = 10, kB = 11, kC = 12, kOther = 20;

uint64_t Bit(uint32_t place) { return uint64_t{1} << place; }
ModelOp Lock(uint64_t lock, uint64_t places = 0) { return {ModelOp::kLock, lock, true, places}; }
ModelOp Unlock(uint64_t lock) { return {ModelOp::kUnlock, lock, true, 0}; }

// Takes `first` and then `second`, as edge `edge`, behind and before `steps` others.
std::vector<ModelOp> Nested(uint64_t first, uint64_t second, uint32_t edge, size_t steps) {
  std::vector<ModelOp> ops(steps);
  ops.push_back(Lock(first, Bit(wire::HeldPlace(edge))));
  ops.push_back(Lock(second, Bit(wire::WaitPlace(edge))));
  ops.push_back(Unlock(second));
  ops.push_back(Unlock(first));
  ops.insert(ops.end(), steps, ModelOp{});
  return ops;
}

wire::SteerHeader PlanWith(uint32_t edges) {
  wire::SteerHeader plan{};
  plan.edges = edges;
  plan.chance = 100;
  plan.patience = 10'000;
  return plan;
}

int Deadlocks(const ModelProgram& program, const wire::SteerHeader& plan, int seeds) {
  int count = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Steer strategy(static_cast<uint64_t>(seed), plan);
    count += program.Run(strategy).deadlock ? 1 : 0;
  }
  return count;
}

TEST(Steer, LeadsTwoThreadsIntoTheCycleUnderEverySeed) {
  ModelProgram program;
  program.threads = {Nested(kA, kB, 0, 40), Nested(kB, kA, 1, 3)};
  EXPECT_EQ(Deadlocks(program, PlanWith(2), 200), 200);
}

TEST(Steer, LeadsThreeThreadsIntoTheCycleUnderEverySeed) {
  ModelProgram program;
  program.threads = {Nested(kA, kB, 0, 30), Nested(kB, kC, 1, 0), Nested(kC, kA, 2, 10)};
  EXPECT_EQ(Deadlocks(program, PlanWith(3), 200), 200);
}

TEST(Steer, AddsNoDeadlockWhereThereIsNone) {
  // The same order in both threads, and a lock around both orders.
  ModelProgram same;
  same.threads = {Nested(kA, kB, 0, 3), Nested(kA, kB, 1, 3)};
  EXPECT_EQ(Deadlocks(same, PlanWith(2), 200), 0);
  ModelProgram gate;
  gate.threads = {Nested(kA, kB, 0, 0), Nested(kB, kA, 1, 0)};
  for (auto& thread : gate.threads) {
    thread.insert(thread.begin(), Lock(kOther));
    thread.push_back(Unlock(kOther));
  }
  EXPECT_EQ(Deadlocks(gate, PlanWith(2), 200), 0);
}

TEST(Steer, GivesUpAHoldWhenOthersSpinForIt) {
  // The second thread waits, spinning, for what the first one writes behind its locks.
  ModelProgram program;
  program.threads = {Nested(kA, kB, 0, 0), {{ModelOp::kSpinUntil, 7, false, 0}}};
  program.threads[0].push_back({ModelOp::kStep, 7, true, 0});
  wire::SteerHeader plan = PlanWith(2);
  plan.patience = 50;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Steer strategy(seed, plan);
    ModelRun run = program.Run(strategy);
    EXPECT_FALSE(run.deadlock);
    EXPECT_LT(run.order.size(), 500U);
    EXPECT_EQ(run.steps_of[0].size(), 5U);
  }
}

TEST(Steer, AnEdgeFromTheStartNeedsNoAcquisition) {
  // The second thread must not take the lock before the first one has it for good: a lock that is left behind.
  ModelProgram program;
  program.threads = {std::vector<ModelOp>(30), {Lock(kA, Bit(wire::WaitPlace(0))), Unlock(kA)}};
  program.threads[0].push_back(Lock(kA));
  wire::SteerHeader plan = PlanWith(1);
  plan.from_start = 1;
  EXPECT_EQ(Deadlocks(program, plan, 100), 100);
}

TEST(Steer, ALockThatWasReleasedIsNotHeld) {
  // Both places are passed, but one after the other: nobody is ever in position.
  ModelProgram program;
  std::vector<ModelOp> one = {Lock(kA, Bit(wire::HeldPlace(0))), Unlock(kA), Lock(kB, Bit(wire::WaitPlace(0))),
                              Unlock(kB)};
  program.threads = {one, one};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Steer strategy(seed, PlanWith(1));
    ModelRun run = program.Run(strategy);
    EXPECT_FALSE(run.deadlock);
    EXPECT_FALSE(strategy.Met());
    EXPECT_EQ(run.order.size(), 8U);
  }
}

TEST(Steer, OneSeedGivesOneSchedule) {
  ModelProgram program;
  program.threads = {Nested(kA, kB, 0, 9), Nested(kA, kB, 1, 9), std::vector<ModelOp>(20)};
  wire::SteerHeader plan = PlanWith(2);
  plan.chance = 50;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Steer one(seed, plan), two(seed, plan);
    EXPECT_EQ(program.Run(one).order, program.Run(two).order);
  }
}

// A stack is at a place when some choice of one call for each frame, not before the last one's, lies in the frames'
// ranges.
bool NaiveAt(const std::vector<uint64_t>& stack, const std::vector<wire::SteerRange>& ranges, uint32_t place,
             uint32_t frame, uint32_t from) {
  bool more = false;
  for (const wire::SteerRange& range : ranges) more = more || (range.place == place && range.frame == frame);
  if (!more) return frame > 0;
  for (uint32_t at = from; at < stack.size() && (frame > 0 || at < wire::kSteerDepth); ++at) {
    for (const wire::SteerRange& range : ranges) {
      bool here = range.place == place && range.frame == frame && stack[at] > range.begin && stack[at] <= range.end;
      if (here && NaiveAt(stack, ranges, place, frame + 1, at)) return true;
    }
  }
  return false;
}

TEST(PlacesOf, AgreesWithTryingAllChoices) {
  std::mt19937 random(5);
  int matches = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<wire::SteerRange> ranges;
    for (uint32_t place = 0; place < 3; ++place) {
      for (uint32_t frame = 0; frame < random() % 4; ++frame) {
        for (size_t i = 0; i < 1 + random() % 2; ++i) {
          uint64_t begin = random() % 12;
          ranges.push_back({begin, begin + 1 + random() % 3, place, frame});
        }
      }
    }
    std::vector<uint64_t> stack;
    for (size_t i = 0; i < 1 + random() % 7; ++i) stack.push_back(random() % 14);
    uint64_t found = wire::PlacesOf(stack.data(), static_cast<uint32_t>(stack.size()), ranges.data(),
                                    static_cast<uint32_t>(ranges.size()));
    for (uint32_t place = 0; place < 3; ++place) {
      EXPECT_EQ((found >> place & 1U) != 0, NaiveAt(stack, ranges, place, 0, 0));
      matches += (found >> place & 1U) != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(matches, 500);
}

}  // namespace
}  // namespace heddle::sched
