// Estimates against the numbers of executions that searches perform: exact where all choices are alike, within the
// error that is told for programs whose threads do the same in every order.
#include "explore/trace_estimate.h"

#include <gtest/gtest.h>

#include "explore/model_program.h"
#include "explore/search.h"
#include "sched/random.h"

namespace heddle::explore {
namespace {

using I = Instruction;

struct Numbers {
  uint64_t executions = 0;
  TraceEstimate estimate;
};

Numbers Compare(const ModelProgram& program) {
  std::unique_ptr<Search> search = MakeSearch({});
  Numbers numbers;
  Request request;
  while (search->Next(&request)) {
    std::string state;
    Execution execution = program.Run(request, &state);
    if (numbers.executions++ == 0) numbers.estimate = EstimateTraces(execution).value_or(TraceEstimate{});
    EXPECT_TRUE(search->Executed(execution));
  }
  return numbers;
}

TEST(TraceEstimate, OrdersOfWritesAreCountedWithoutError) {
  ModelProgram program;
  for (uint32_t i = 0; i < 5; ++i) program.threads.push_back({{I::kStore, 0, i + 1}});
  Numbers numbers = Compare(program);
  EXPECT_EQ(numbers.executions, 120U);
  EXPECT_NEAR(numbers.estimate.executions, 120, 1e-6);
  EXPECT_NEAR(numbers.estimate.error, 0, 1e-3);
}

TEST(TraceEstimate, WaysToMergeAreCountedWithoutError) {
  ModelProgram program;
  program.threads.resize(3);
  for (uint32_t i = 0; i < 9; ++i) program.threads[i % 3].push_back({I::kStore, 0, i + 1});
  Numbers numbers = Compare(program);
  EXPECT_EQ(numbers.executions, 1680U);
  EXPECT_NEAR(numbers.estimate.executions, 1680, 1e-6);
  EXPECT_NEAR(numbers.estimate.error, 0, 1e-3);
}

TEST(TraceEstimate, SectionsOfALockComeAsAWhole) {
  ModelProgram program;
  std::vector<Instruction> twice = {{I::kLock, 0}, {I::kLoad, 1}, {I::kStore, 1, 1}, {I::kUnlock, 0}};
  for (int i = 0; i < 4; ++i) program.threads.push_back(twice);
  Numbers numbers = Compare(program);
  EXPECT_EQ(numbers.executions, 24U);
  EXPECT_NEAR(numbers.estimate.executions, 24, 1e-6);
  for (std::vector<Instruction>& thread : program.threads) thread.insert(thread.end(), twice.begin(), twice.end());
  program.threads.pop_back();
  numbers = Compare(program);
  EXPECT_EQ(numbers.executions, 90U);
  EXPECT_NEAR(numbers.estimate.executions, 90, 1e-6);
}

TEST(TraceEstimate, ReadersGoBeforeOrBehindAWrite) {
  ModelProgram program;
  program.threads.push_back({{I::kStore, 0, 1}});
  for (int i = 0; i < 8; ++i) program.threads.push_back({{I::kLoad, 0}});
  Numbers numbers = Compare(program);
  EXPECT_EQ(numbers.executions, 256U);
  EXPECT_NEAR(numbers.estimate.executions, 256, 1e-6);
}

// Loads, stores and sections at random; threads do the same whatever they read.
ModelProgram RandomProgram(sched::Random& random) {
  ModelProgram program;
  for (uint64_t threads = 2 + random.Below(3); threads > 0; --threads) {
    std::vector<Instruction> code;
    for (uint64_t left = 1 + random.Below(4); left > 0; --left) {
      auto cell = static_cast<uint32_t>(random.Below(2));
      bool locked = random.Below(4) == 0;
      if (locked) code.push_back({I::kLock, cell});
      if (random.Below(2) == 0) {
        code.push_back({I::kLoad, 2 + cell});
      } else {
        code.push_back({I::kStore, 2 + cell, static_cast<uint32_t>(random.Next())});
      }
      if (locked) code.push_back({I::kUnlock, cell});
    }
    program.threads.push_back(code);
  }
  return program;
}

TEST(TraceEstimate, IsWithinItsErrorOnRandomPrograms) {
  sched::Random random(7);
  double performed = 0;
  double estimated = 0;
  for (int i = 0; i < 150; ++i) {
    Numbers numbers = Compare(RandomProgram(random));
    auto executions = static_cast<double>(numbers.executions);
    EXPECT_NEAR(numbers.estimate.executions, executions, 5 * numbers.estimate.error + 0.02 * executions) << i;
    performed += executions;
    estimated += numbers.estimate.executions;
  }
  EXPECT_NEAR(estimated / performed, 1, 0.05);
}

TEST(TraceEstimate, SaysNothingOfWhatWasAbandoned) {
  Execution execution;
  execution.end = End::kAsleep;
  EXPECT_FALSE(EstimateTraces(execution));
}

}  // namespace
}  // namespace heddle::explore
