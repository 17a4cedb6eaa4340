#include "sched/strategies.h"

#include <gtest/gtest.h>

#include <set>

#include "sched/model_program.h"

namespace heddle::sched {
namespace {

ModelProgram Steps(size_t threads, size_t steps) {
  ModelProgram program;
  program.threads.assign(threads, std::vector<ModelOp>(steps));
  return program;
}

TEST(RoundRobin, TakesTurns) {
  RoundRobin strategy;
  EXPECT_EQ(Steps(3, 2).Run(strategy).order, (std::vector<uint32_t>{0, 1, 2, 0, 1, 2}));
}

TEST(RoundRobin, PassesOverBlockedThreads) {
  ModelProgram program = Steps(3, 0);
  using enum ModelOp::What;
  for (auto& thread : program.threads) thread = {{kLock, 9}, {kStep, 1}, {kUnlock, 9}};
  RoundRobin strategy;
  EXPECT_EQ(program.Run(strategy).order, (std::vector<uint32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST(RandomWalk, IsDeterministicInItsSeed) {
  ModelProgram program = Steps(4, 5);
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomWalk first(seed);
    RandomWalk second(seed);
    std::vector<uint32_t> order = program.Run(first).order;
    EXPECT_EQ(order, program.Run(second).order);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 95U);
}

TEST(RandomWalk, ReachesEveryOrder) {
  ModelProgram program = Steps(2, 3);
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    RandomWalk strategy(seed);
    orders.insert(program.Run(strategy).order);
  }
  EXPECT_EQ(orders.size(), 20U);  // 6 over 3
}

TEST(Queue, SaysThatArrivalDecides) {
  Queue strategy;
  EXPECT_TRUE(strategy.ByArrival());
  EXPECT_FALSE(strategy.Informed());
}

// All orders of two threads, by enumeration, as a depth-first search does it.
struct Enumeration {
  std::vector<uint32_t> choices;  // index among the enabled, by step
  std::vector<uint32_t> bounds;
  uint32_t Pick(const View& view) {
    EXPECT_NE(view.next, nullptr);
    if (view.step >= choices.size()) choices.push_back(0);
    bounds.resize(choices.size());
    bounds[view.step] = view.enabled->count();
    return view.enabled->Nth(choices[view.step]);
  }
  bool Next() {
    while (!choices.empty() && ++choices.back() == bounds[choices.size() - 1]) choices.pop_back();
    return !choices.empty();
  }
};

class Enumerated final : public Strategy {
 public:
  explicit Enumerated(Enumeration* enumeration) : enumeration_(enumeration) {}
  bool Informed() const override { return true; }
  uint32_t Pick(const View& view) override { return enumeration_->Pick(view); }

 private:
  Enumeration* enumeration_;
};

TEST(InformedStrategy, DrivesEveryChoice) {
  ModelProgram program = Steps(2, 4);
  Enumeration enumeration;
  std::set<std::vector<uint32_t>> orders;
  do {
    Enumerated strategy(&enumeration);
    orders.insert(program.Run(strategy).order);
  } while (enumeration.Next());
  EXPECT_EQ(orders.size(), 70U);  // 8 over 4
}

TEST(InformedStrategy, FindsTheDeadlockOfTwoLocks) {
  using enum ModelOp::What;
  ModelProgram program;
  program.threads = {{{kLock, 1}, {kLock, 2}, {kUnlock, 2}, {kUnlock, 1}},
                     {{kLock, 2}, {kLock, 1}, {kUnlock, 1}, {kUnlock, 2}}};
  Enumeration enumeration;
  int deadlocks = 0;
  do {
    Enumerated strategy(&enumeration);
    deadlocks += program.Run(strategy).deadlock ? 1 : 0;
  } while (enumeration.Next());
  EXPECT_EQ(deadlocks, 2);  // 12 and 21
}

}  // namespace
}  // namespace heddle::sched
