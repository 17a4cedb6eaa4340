#include "sched/pct.h"

#include <gtest/gtest.h>

#include "sched/model_program.h"

namespace heddle::sched {
namespace {

// The bug: the second thread's `at`-th step comes before the first thread's `at`-th. One ordering constraint: depth 1.
bool Comes(const ModelRun& run, uint32_t first, size_t first_step, uint32_t second, size_t second_step) {
  return run.steps_of.at(first)[first_step] < run.steps_of.at(second)[second_step];
}

constexpr int kRuns = 10000;

TEST(Pct, FindsADepthOneBugAtLeastAsOftenAsItsBound) {
  ModelProgram program;
  program.threads.assign(4, std::vector<ModelOp>(10));
  int found = 0;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    Pct strategy(seed, 1, 40);
    found += Comes(program.Run(strategy), 3, 9, 0, 0) ? 1 : 0;  // the last thread runs before the first begins
  }
  EXPECT_GE(found, kRuns / 4);  // 1 / threads
}

TEST(Pct, FindsADepthTwoBugAtLeastAsOftenAsItsBound) {
  // Two constraints: a thread's write falls between two neighbouring steps of another.
  ModelProgram program;
  program.threads.assign(3, std::vector<ModelOp>(10));
  int found = 0;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    Pct strategy(seed, 2, 30);
    ModelRun run = program.Run(strategy);
    found += Comes(run, 0, 4, 2, 0) && Comes(run, 2, 9, 0, 5) ? 1 : 0;
  }
  EXPECT_GE(found, kRuns / (3 * 30));  // 1 / (threads * steps)
}

TEST(Pct, DepthOneNeverInterruptsAThread) {
  ModelProgram program;
  program.threads.assign(3, std::vector<ModelOp>(5));
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Pct strategy(seed, 1, 15);
    std::vector<uint32_t> order = program.Run(strategy).order;
    int switches = 0;
    for (size_t i = 1; i < order.size(); ++i) switches += order[i] != order[i - 1] ? 1 : 0;
    EXPECT_EQ(switches, 2);
  }
}

TEST(Pct, AThreadThatSpinsDoesNotHoldUpTheOthers) {
  using enum ModelOp::What;
  ModelProgram program;
  program.threads = {{{kSpinUntil, 7}}, {{kStep, 1}, {kStep, 7}}};
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Pct strategy(seed, 2, 10);
    EXPECT_LT(program.Run(strategy, 1000).order.size(), 20U);
  }
}

TEST(Pct, IsDeterministicInItsSeed) {
  ModelProgram program;
  program.threads.assign(5, std::vector<ModelOp>(20));
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Pct first(seed, 4, 100);
    Pct second(seed, 4, 100);
    EXPECT_EQ(program.Run(first).order, program.Run(second).order);
  }
}

}  // namespace
}  // namespace heddle::sched
