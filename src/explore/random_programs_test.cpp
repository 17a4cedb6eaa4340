// Every search against an enumeration that shares nothing with it, on random programs of loads, stores, exchanges,
// compare-and-swaps, loops that wait for a value, locks, attempts at them, read-write locks that prefer writers,
// semaphores, condition variables, waits with a limit, futexes, barriers and once routines, and locks that are kept.
//
// The enumeration takes every enabled thread in every state. Two of its executions are equivalent when each pair of
// operations that touch one object, one of them writing, comes in the same order in both. A search must end in the same
// states; optimal and source must perform each class exactly once.
//
// HEDDLE_RANDOM_PROGRAMS sets how many programs are tried (default: a share that takes a few seconds),
// HEDDLE_RANDOM_SEED the first.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "explore/model_program.h"
#include "explore/random_program.h"
#include "explore/search.h"

namespace heddle::explore {
namespace {

struct Outcome {
  std::multiset<std::string> classes;
  std::set<std::string> states;
  uint64_t asleep = 0;
  uint64_t executions = 0;
  bool all = true;
};

uint32_t Preemptions(const Execution& execution) {
  uint32_t count = 0;
  for (size_t i = 1; i < execution.events.size(); ++i) {
    uint32_t last = execution.events[i - 1].thread;
    bool goes_on = execution.events[i].enabled.Has(last);
    count += goes_on && execution.events[i].thread != last ? 1 : 0;
  }
  return count;
}

// All interleavings, up to `limit`. `bounded`: final states by the number of preemptions that they need at most.
Outcome Enumerate(const ModelProgram& program, uint64_t limit, std::map<uint32_t, std::set<std::string>>* bounded) {
  Outcome outcome;
  std::vector<std::vector<Step>> todo = {{}};
  while (!todo.empty()) {
    Request request;
    request.prefix = todo.back();
    request.sleep_from = UINT64_MAX;
    todo.pop_back();
    std::string state;
    Execution execution = program.Run(request, &state);
    if (++outcome.executions > limit) {
      outcome.all = false;
      return outcome;
    }
    outcome.states.insert(state);
    std::string name = ClassOf(execution);
    if (!outcome.classes.contains(name)) outcome.classes.insert(name);
    (*bounded)[Preemptions(execution)].insert(state);
    for (size_t i = request.prefix.size(); i < execution.events.size(); ++i) {
      for (uint32_t t = 0; t < program.threads.size(); ++t) {
        if (!execution.events[i].enabled.Has(t) || t == execution.events[i].thread) continue;
        std::vector<Step> prefix;
        for (size_t j = 0; j < i; ++j) prefix.push_back({execution.events[j].thread, wire::kAnyValue});
        prefix.push_back({static_cast<uint16_t>(t), wire::kAnyValue});
        todo.push_back(std::move(prefix));
      }
    }
  }
  return outcome;
}

Outcome Searched(const ModelProgram& program, const SearchOptions& options) {
  std::unique_ptr<Search> search = MakeSearch(options);
  Outcome outcome;
  Request request;
  while (search->Next(&request)) {
    std::string state;
    Execution execution = program.Run(request, &state);
    EXPECT_TRUE(search->Executed(execution));
    if (execution.end == End::kDiverged) return outcome;
    if (execution.end == End::kAsleep) {
      ++outcome.asleep;
      continue;
    }
    ++outcome.executions;
    outcome.states.insert(state);
    outcome.classes.insert(ClassOf(execution));
  }
  return outcome;
}

uint32_t Number(const char* name, uint32_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(strtoul(text, nullptr, 10));
}

TEST(RandomPrograms, EverySearchAgreesWithEnumeration) {
  uint32_t wanted = Number("HEDDLE_RANDOM_PROGRAMS", 400);
  uint32_t seed = Number("HEDDLE_RANDOM_SEED", 1);
  uint64_t classes = 0;
  uint64_t asleep = 0;
  uint64_t asleep_source = 0;
  uint32_t tried = 0;
  for (; tried < wanted; ++seed) {
    ModelProgram program = RandomProgram(seed);
    std::map<uint32_t, std::set<std::string>> bounded;
    Outcome all = Enumerate(program, 4000, &bounded);
    if (!all.all) continue;
    ++tried;
    classes += all.classes.size();
    for (Algorithm algorithm : {Algorithm::kOptimal, Algorithm::kSource}) {
      Outcome some = Searched(program, {algorithm, {}});
      ASSERT_EQ(some.states, all.states) << "seed " << seed << Text(program);
      bool same = some.classes == all.classes;
      ASSERT_TRUE(same) << some.classes.size() << " of " << all.classes.size() << " classes, seed " << seed
                        << " algorithm " << static_cast<int>(algorithm) << Text(program);
      (algorithm == Algorithm::kOptimal ? asleep : asleep_source) += some.asleep;
    }
    ASSERT_EQ(Searched(program, {Algorithm::kDpor, {}}).states, all.states) << "seed " << seed << Text(program);
    std::set<std::string> within;
    for (uint32_t bound = 0; bound < 3; ++bound) {
      within.insert(bounded[bound].begin(), bounded[bound].end());
      Outcome some = Searched(program, {Algorithm::kOptimal, bound});
      ASSERT_EQ(some.states, within) << "seed " << seed << " bound " << bound << Text(program);
    }
  }
  RecordProperty("classes", std::to_string(classes));
  printf("%u programs, %lu classes, abandoned: optimal %lu, source %lu\n", tried, classes, asleep, asleep_source);
}

// Whether a loop or a futex waits for memory, or a barrier may have more users than places: the order matters there.
bool MayMatter(const ModelProgram& program) {
  uint32_t users = 0;
  uint32_t places = UINT32_MAX;
  bool waits = false;
  for (const std::vector<Instruction>& thread : program.threads) {
    bool uses = false;
    for (const Instruction& instruction : thread) {
      bool barrier = instruction.what == Instruction::kBarrier || instruction.what == Instruction::kBlindBarrier;
      uses = uses || barrier;
      if (barrier) places = instruction.a;
      waits = waits || (instruction.what >= Instruction::kFutexWait && instruction.what <= Instruction::kFutexWake) ||
              (instruction.what >= Instruction::kAwait && instruction.what <= Instruction::kAwaitSwap);
    }
    users += uses ? 1 : 0;
  }
  return waits || users > places;
}

// With operations that commute there are fewer classes: each is performed, and once where nothing shows that the order
// matters all the same. Without them the search is the usual one.
TEST(RandomPrograms, OperationsThatCommuteLoseNothing) {
  uint32_t wanted = Number("HEDDLE_RANDOM_PROGRAMS", 400);
  uint32_t seed = Number("HEDDLE_RANDOM_SEED", 1);
  uint64_t classes = 0;
  uint64_t executions = 0;
  uint64_t without = 0;
  uint32_t tried = 0;
  for (; tried < wanted; ++seed) {
    ModelProgram program = RandomBlindProgram(seed);
    program.commute = true;
    std::map<uint32_t, std::set<std::string>> bounded;
    Outcome all = Enumerate(program, 4000, &bounded);
    if (!all.all) continue;
    ++tried;
    classes += all.classes.size();
    for (Algorithm algorithm : {Algorithm::kOptimal, Algorithm::kSource}) {
      SearchOptions options;
      options.algorithm = algorithm;
      options.commute = true;
      Outcome some = Searched(program, options);
      ASSERT_EQ(some.states, all.states) << "seed " << seed << Text(program);
      std::set<std::string> performed(some.classes.begin(), some.classes.end());
      std::set<std::string> there(all.classes.begin(), all.classes.end());
      ASSERT_TRUE(performed == there) << performed.size() << " of " << there.size() << " classes, seed " << seed
                                      << " algorithm " << static_cast<int>(algorithm) << Text(program);
      bool once = some.classes.size() == performed.size() && (algorithm != Algorithm::kOptimal || some.asleep == 0);
      ASSERT_TRUE(once || MayMatter(program)) << "seed " << seed << Text(program);
      executions += some.executions;
    }
    program.commute = false;
    without += Searched(program, {Algorithm::kOptimal, {}}).executions;
  }
  printf("%u programs, %lu classes; optimal and source performed %lu, optimal without what commutes %lu\n", tried,
         classes, executions, without);
}

}  // namespace
}  // namespace heddle::explore
