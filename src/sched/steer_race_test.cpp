#include "sched/steer_race.h"

#include <gtest/gtest.h>

#include <vector>

#include "sched/model_program.h"

namespace heddle::sched {
namespace {

constexpr uint64_t kX = 100, kY = 200, kM = 10;
constexpr uint64_t kOne = uint64_t{1} << wire::WaitPlace(0), kTwo = uint64_t{1} << wire::WaitPlace(1);

ModelOp Write(uint64_t address, uint64_t places) { return {ModelOp::kPlain, address, true, places}; }
ModelOp Read(uint64_t address, uint64_t places) { return {ModelOp::kPlain, address, false, places}; }
ModelOp Lock() { return {ModelOp::kLock, kM, true, 0}; }
ModelOp Unlock() { return {ModelOp::kUnlock, kM, true, 0}; }

std::vector<ModelOp> Behind(size_t steps, std::vector<ModelOp> ops) {
  ops.insert(ops.begin(), steps, ModelOp{});
  return ops;
}

wire::SteerHeader RacePlan(uint32_t chance = 100) {
  wire::SteerHeader plan{};
  plan.edges = 2;
  plan.from_start = 3;
  plan.chance = chance;
  plan.patience = 10'000;
  plan.goal = wire::SteerGoal::kRace;
  return plan;
}

// Under how many of the seeds the threads met, and whether each run went to its end.
int Meetings(const ModelProgram& program, int seeds, const wire::SteerHeader& plan = RacePlan()) {
  size_t steps = 0;
  for (const auto& thread : program.threads) steps += thread.size();
  int count = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    SteerRace strategy(static_cast<uint64_t>(seed), plan);
    ModelRun run = program.Run(strategy);
    EXPECT_FALSE(run.deadlock);
    EXPECT_EQ(run.order.size(), steps);
    count += strategy.Meetings() > 0 ? 1 : 0;
  }
  return count;
}

TEST(SteerRace, TwoThreadsMeetHoweverFarApartTheyBegin) {
  ModelProgram program;
  program.threads = {Behind(3, {Write(kX, kOne), Lock(), Unlock()}), Behind(300, {Lock(), Read(kX, kTwo), Unlock()}),
                     std::vector<ModelOp>(50)};
  EXPECT_EQ(Meetings(program, 200), 200);
}

TEST(SteerRace, TheTwoAccessesAreNeighbours) {
  ModelProgram program;
  program.threads = {Behind(3, {Write(kX, kOne), Lock(), Unlock()}), Behind(40, {Write(kX, kTwo)}),
                     std::vector<ModelOp>(60)};
  bool first[2] = {};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SteerRace strategy(seed, RacePlan());
    ModelRun run = program.Run(strategy);
    size_t a = run.steps_of[0][3], b = run.steps_of[1][40];
    EXPECT_EQ(std::max(a, b) - std::min(a, b), 1U);
    first[a < b ? 0 : 1] = true;
  }
  EXPECT_TRUE(first[0] && first[1]);  // both orders happen
}

TEST(SteerRace, ALockAroundBothKeepsThemApart) {
  ModelProgram program;
  std::vector<ModelOp> one = {Lock(), Write(kX, kOne | kTwo), Unlock()};
  program.threads = {one, Behind(5, one)};
  EXPECT_EQ(Meetings(program, 100), 0);
}

TEST(SteerRace, OtherMemoryTwoReadsAndOnePlaceAreNoMeeting) {
  ModelProgram memory, reads, place;
  memory.threads = {{Write(kX, kOne)}, {Write(kY, kTwo)}};
  reads.threads = {{Read(kX, kOne)}, {Read(kX, kTwo)}};
  place.threads = {{Write(kX, kOne)}, {Write(kX, kOne)}};
  EXPECT_EQ(Meetings(memory, 50), 0);
  EXPECT_EQ(Meetings(reads, 50), 0);
  EXPECT_EQ(Meetings(place, 50), 0);
}

TEST(SteerRace, AnIncrementMeetsItsTwin) {
  // x++ is a read and a write on one line: two that read do not collide, but the first that goes on to write does.
  ModelProgram program;
  std::vector<ModelOp> one = {Read(kX, kOne | kTwo), Write(kX, kOne | kTwo)};
  program.threads = {one, Behind(9, one)};
  EXPECT_EQ(Meetings(program, 100), 100);
}

TEST(SteerRace, MemoryThatWasMetDoesNotHideOthersOfTheLine) {
  ModelProgram program;
  std::vector<ModelOp> one = {Write(kX, kOne | kTwo), Write(kY, kOne | kTwo)};
  program.threads = {one, one};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SteerRace strategy(seed, RacePlan());
    program.Run(strategy);
    EXPECT_EQ(strategy.Meetings(), 2U);
  }
}

TEST(SteerRace, OneSeedGivesOneSchedule) {
  ModelProgram program;
  program.threads = {Behind(9, {Write(kX, kOne)}), Behind(5, {Write(kX, kTwo)}), std::vector<ModelOp>(20)};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SteerRace one(seed, RacePlan(50)), two(seed, RacePlan(50));
    EXPECT_EQ(program.Run(one).order, program.Run(two).order);
  }
}

}  // namespace
}  // namespace heddle::sched
