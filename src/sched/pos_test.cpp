#include "sched/pos.h"

#include <gtest/gtest.h>

#include "sched/model_program.h"

namespace heddle::sched {
namespace {

// A thread with one write races with the last of a long row of writes by another. Under a random walk the single one is
// nearly never last; here each of the two comes first about as often.
TEST(Pos, GivesBothOrdersOfARaceTheirChance) {
  ModelProgram program;
  std::vector<ModelOp> row;
  for (uint64_t i = 0; i < 20; ++i) row.push_back({ModelOp::kStep, 100 + i, true});
  row.push_back({ModelOp::kStep, 1, true});
  program.threads = {row, {{ModelOp::kStep, 1, true}}};
  int last = 0;
  constexpr int kRuns = 2000;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    Pos strategy(seed);
    ModelRun run = program.Run(strategy);
    last += run.steps_of[1][0] > run.steps_of[0][20] ? 1 : 0;
  }
  EXPECT_GT(last, kRuns / 30);  // a random walk: below 2000 / 2^20
}

TEST(Pos, IsDeterministicInItsSeed) {
  ModelProgram program;
  program.threads.assign(4, std::vector<ModelOp>(10));
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Pos first(seed);
    Pos second(seed);
    EXPECT_EQ(program.Run(first).order, program.Run(second).order);
  }
}

TEST(Pos, WantsToSeeTheOperations) { EXPECT_TRUE(Pos(1).Informed()); }

}  // namespace
}  // namespace heddle::sched
