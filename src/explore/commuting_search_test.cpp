// Searches in which operations commute: exact numbers of executions, and the programs in which the order matters after
// all. Random programs of this kind are in random_programs_test.cpp.
#include "explore/commuting_search.h"

#include <gtest/gtest.h>

#include <set>

#include "explore/model_program.h"

namespace heddle::explore {
namespace {

using I = Instruction;

struct Outcome {
  std::set<std::string> states;
  uint64_t executions = 0;
  uint64_t deadlocks = 0;
};

Outcome Explore(ModelProgram program, bool commute, Algorithm algorithm = Algorithm::kOptimal) {
  program.commute = commute;
  SearchOptions options;
  options.algorithm = algorithm;
  options.commute = commute;
  std::unique_ptr<Search> search = MakeSearch(options);
  Outcome outcome;
  Request request;
  while (search->Next(&request)) {
    std::string state;
    Execution execution = program.Run(request, &state);
    EXPECT_NE(execution.end, End::kDiverged);
    EXPECT_TRUE(search->Executed(execution));
    if (execution.end == End::kAsleep) continue;
    outcome.states.insert(state);
    ++outcome.executions;
    outcome.deadlocks += execution.end == End::kDeadlock ? 1 : 0;
  }
  return outcome;
}

std::vector<std::vector<Instruction>> Threads(size_t count, const std::vector<Instruction>& thread) {
  return std::vector<std::vector<Instruction>>(count, thread);
}

void SameStates(const ModelProgram& program) {
  Outcome all = Explore(program, false, Algorithm::kDfs);
  for (Algorithm algorithm : {Algorithm::kOptimal, Algorithm::kSource}) {
    EXPECT_EQ(Explore(program, true, algorithm).states, all.states);
  }
}

TEST(Commuting, IncrementsThatNobodyReadsAreOneExecution) {
  ModelProgram program;
  program.threads = Threads(5, {{I::kBlindAdd, 0, 1}});
  EXPECT_EQ(Explore(program, false).executions, 120);
  EXPECT_EQ(Explore(program, true).executions, 1);
  program.threads = Threads(3, {{I::kBlindAdd, 0, 1}, {I::kBlindAdd, 1, 1}});
  EXPECT_EQ(Explore(program, true).executions, 1);
}

TEST(Commuting, AReaderSeesEverySubsetOfThem) {
  ModelProgram program;
  program.threads = Threads(3, {{I::kBlindAdd, 0, 1}});
  program.threads.push_back({{I::kLoad, 0}});
  EXPECT_EQ(Explore(program, false).executions, 24);
  EXPECT_EQ(Explore(program, true).executions, 8);
  SameStates(program);
}

TEST(Commuting, ASwapFindsWhatTheOthersAdded) {
  ModelProgram program;
  program.threads = {{{I::kBlindAdd, 0, 1}}, {{I::kBlindAdd, 0, 2}}, {{I::kCas, 0, 2, 7}}, {{I::kBlindAdd, 0, 1}}};
  SameStates(program);
}

TEST(Commuting, KindsAndSizesThatDifferDoNot) {
  ModelProgram program;
  program.threads = {{{I::kBlindAdd, 0, 1}}, {{I::kBlindXor, 0, 1}}, {{I::kBlindOr, 0, 1}}};
  EXPECT_EQ(Explore(program, true).executions, 6);
  SameStates(program);
}

// One of the two must come before it looks and the other behind, or it waits for ever: neither of them alone shows
// that.
TEST(Commuting, NotWhereALoopWaitsForTheValue) {
  ModelProgram program;
  program.threads = Threads(3, {{I::kBlindAdd, 0, 1}});
  program.threads.push_back({{I::kAwait, 0, 1}});
  SameStates(program);
  EXPECT_GT(Explore(program, true).deadlocks, 0);
  EXPECT_GT(Explore(program, true).executions, Explore(program, true).deadlocks);
}

TEST(Commuting, ArrivalsAtABarrierAreOneExecution) {
  ModelProgram program;
  program.threads = Threads(4, {{I::kBlindBarrier, 0, 4}, {I::kBlindBarrier, 0, 4}});
  EXPECT_EQ(Explore(program, true).executions, 1);
  EXPECT_GT(Explore(program, false).executions, 24 * 24 - 1);
}

TEST(Commuting, ArrivalsThatAskWhoWasLastAreNot) {
  ModelProgram program;
  program.threads = Threads(3, {{I::kBarrier, 0, 3}});
  EXPECT_EQ(Explore(program, true).executions, 6);
  program.threads = {{{I::kBarrier, 0, 3}}, {{I::kBlindBarrier, 0, 3}}, {{I::kBlindBarrier, 0, 3}}};
  SameStates(program);
}

// Who comes first goes through; the third waits for ever.
TEST(Commuting, NotWhereMoreThreadsComeThanTheBarrierHasPlaces) {
  ModelProgram program;
  program.threads = Threads(3, {{I::kBlindBarrier, 0, 2}});
  EXPECT_EQ(Explore(program, false).states.size(), 3);
  SameStates(program);
  program.threads = Threads(3, {{I::kBlindBarrier, 0, 2}, {I::kBlindAdd, 0, 1}});
  SameStates(program);
}

}  // namespace
}  // namespace heddle::explore
