// Every algorithm against exhaustive search: the same final states, and for optimal one execution for each trace.
#include "explore/search.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <sstream>

#include "explore/happens_before.h"
#include "explore/model_program.h"

namespace heddle::explore {
namespace {

using I = Instruction;

// The same for equivalent executions, and only for those: every event with what happens before it.
std::string TraceOf(const Execution& execution) {
  HappensBefore order;
  std::map<std::pair<int, int>, std::string> events;
  std::vector<std::pair<int, int>> names;
  std::map<int, int> count;
  for (const ExploredEvent& event : execution.events) {
    order.Append(event);
    names.emplace_back(event.thread, count[event.thread]++);
    std::string& text = events[names.back()];
    for (size_t i = 0; i + 1 < names.size(); ++i) {
      if (order.Before(i, names.size() - 1))
        text += std::to_string(names[i].first) + "." + std::to_string(names[i].second) + " ";
    }
  }
  std::string all;
  for (auto& [name, before] : events) {
    std::multiset<std::string> sorted;
    std::istringstream words(before);
    for (std::string word; words >> word;) sorted.insert(word);
    all += std::to_string(name.first) + ":";
    for (const std::string& word : sorted) all += word + " ";
  }
  return all;
}

struct Outcome {
  std::set<std::string> traces;
  std::set<std::string> states;
  uint64_t executions = 0;  // to the end
  uint64_t blocked = 0;     // abandoned by the program
  uint64_t asleep = 0;
  uint64_t deadlocks = 0;
  bool complete = false;
  bool cut = false;
};

Outcome Explore(const ModelProgram& program, SearchOptions options, uint64_t limit = 200000, bool traces = false) {
  std::unique_ptr<Search> search = MakeSearch(options);
  Outcome outcome;
  Request request;
  for (uint64_t i = 0; i < limit; ++i) {
    if (!search->Next(&request)) {
      outcome.complete = true;
      break;
    }
    std::string state;
    Execution execution = program.Run(request, &state);
    EXPECT_NE(execution.end, End::kDiverged);
    if (execution.end == End::kAsleep) {
      ++outcome.asleep;
    } else {
      outcome.states.insert(state);
      if (traces) outcome.traces.insert(TraceOf(execution));
      ++(execution.end == End::kBlocked ? outcome.blocked : outcome.executions);
      outcome.deadlocks += execution.end == End::kDeadlock ? 1 : 0;
    }
    EXPECT_TRUE(search->Executed(execution));
    EXPECT_GT(search->Fraction(), 0);
    EXPECT_LE(search->Fraction(), 1.0001);
  }
  outcome.cut = search->Cut();
  return outcome;
}

Outcome Explore(const ModelProgram& program, Algorithm algorithm) {
  return Explore(program, SearchOptions{algorithm, {}});
}

ModelProgram Readers(uint32_t n) {
  ModelProgram program;
  program.threads.push_back({{I::kStore, 0, 1}});
  for (uint32_t i = 1; i <= n; ++i) program.threads.push_back({{I::kLoad, 0}, {I::kStoreReg, i, 1}});
  return program;
}

ModelProgram LastZero(uint32_t n) {
  ModelProgram program;
  std::vector<Instruction> scan;
  for (uint32_t i = n; i > 0; --i) {
    scan.push_back({I::kLoad, i});
    scan.push_back({I::kSkipIf, 0, 0, 1000});
  }
  scan.push_back({I::kLoad, 0});
  program.threads.push_back(scan);
  for (uint32_t i = 1; i <= n; ++i) program.threads.push_back({{I::kLoad, i - 1}, {I::kStoreReg, i, 1}});
  return program;
}

ModelProgram Philosophers(uint32_t n, bool cyclic) {
  ModelProgram program;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t left = i;
    uint32_t right = (i + 1) % n;
    if (!cyclic && left > right) std::swap(left, right);
    program.threads.push_back({{I::kLock, left}, {I::kLock, right}, {I::kUnlock, right}, {I::kUnlock, left}});
  }
  return program;
}

TEST(Counts, OfTheLiteratureUnderOptimal) {
  EXPECT_EQ(Explore(Readers(13), Algorithm::kOptimal).executions, 8192U);
  EXPECT_EQ(Explore(LastZero(12), Algorithm::kOptimal).executions, 15360U);
  EXPECT_EQ(Explore(LastZero(10), Algorithm::kOptimal).executions, 3328U);
  EXPECT_EQ(Explore(LastZero(10), Algorithm::kOptimal).asleep, 0U);
  EXPECT_EQ(Explore(Philosophers(8, false), Algorithm::kOptimal).executions, 254U);
  ModelProgram add;
  for (int i = 0; i < 5; ++i) add.threads.push_back({{I::kAdd, 0, 1}});
  EXPECT_EQ(Explore(add, Algorithm::kOptimal).executions, 120U);
}

std::string KeyOf(const Request& request) {
  std::string key = std::to_string(request.sleep_from);
  for (const Step& step : request.prefix) key += " " + std::to_string(step.thread);
  for (const ExploredEvent& event : request.sleeping) key += " s" + std::to_string(event.thread);
  return key;
}

// Executions are performed before they are asked for. The search is as it would be without, and most guesses are right.
TEST(LookingAhead, GuessesWhatComes) {
  for (const ModelProgram& program : {Readers(6), LastZero(6), Philosophers(6, false)}) {
    uint64_t alone = Explore(program, Algorithm::kOptimal).executions;
    std::unique_ptr<Search> search = MakeSearch({Algorithm::kOptimal, {}});
    std::map<std::string, Execution> performed;
    auto known = [&](const Request& request) -> const Execution* {
      auto found = performed.find(KeyOf(request));
      return found == performed.end() ? nullptr : &found->second;
    };
    uint64_t executions = 0;
    uint64_t guessed = 0;
    uint64_t next = 0;
    std::vector<Request> requests;
    Request request;
    std::string state;
    while (search->Next(&request)) {
      next += !requests.empty() && KeyOf(requests[0]) == KeyOf(request) ? 1 : 0;
      const Execution* ready = known(request);
      guessed += ready != nullptr ? 1 : 0;
      ASSERT_TRUE(search->Executed(ready != nullptr ? *ready : program.Run(request, &state)));
      ++executions;
      std::erase_if(performed, [&](const auto& one) { return one.first == KeyOf(request); });
      requests.clear();
      search->FurtherAhead(3, known, &requests);
      for (const Request& guess : requests) EXPECT_TRUE(search->MayAsk(guess));
      if (requests.size() > 1) performed[KeyOf(requests[1])] = program.Run(requests[1], &state);
    }
    EXPECT_EQ(executions, alone);
    EXPECT_GT(guessed, executions / 3);
    EXPECT_GT(guessed + next, executions * 9 / 10);
  }
}

TEST(Counts, OfLitmusTests) {
  ModelProgram store_buffering;
  store_buffering.threads = {{{I::kStore, 0, 1}, {I::kLoad, 1}}, {{I::kStore, 1, 1}, {I::kLoad, 0}}};
  EXPECT_EQ(Explore(store_buffering, Algorithm::kOptimal).executions, 3U);
  ModelProgram message;
  message.threads = {{{I::kStore, 0, 1}, {I::kStore, 1, 1}}, {{I::kLoad, 1}, {I::kLoad, 0}}};
  EXPECT_EQ(Explore(message, Algorithm::kOptimal).executions, 3U);
  ModelProgram iriw;
  iriw.threads = {
      {{I::kStore, 0, 1}}, {{I::kStore, 1, 1}}, {{I::kLoad, 0}, {I::kLoad, 1}}, {{I::kLoad, 1}, {I::kLoad, 0}}};
  EXPECT_EQ(Explore(iriw, Algorithm::kOptimal).executions, 15U);
}

TEST(Deadlocks, AreFoundByAll) {
  for (Algorithm algorithm : {Algorithm::kDfs, Algorithm::kDpor, Algorithm::kSource, Algorithm::kOptimal}) {
    EXPECT_GT(Explore(Philosophers(3, true), algorithm).deadlocks, 0U);
    EXPECT_EQ(Explore(Philosophers(3, false), algorithm).deadlocks, 0U);
  }
  EXPECT_EQ(Explore(Philosophers(8, true), Algorithm::kOptimal).deadlocks, 1U);
}

TEST(Choices, AllValuesInAllOrders) {
  ModelProgram program;
  program.threads = {{{I::kChoose, 0, 3}, {I::kStoreReg, 0, 5}}, {{I::kLoad, 0}}};
  for (Algorithm algorithm : {Algorithm::kDfs, Algorithm::kDpor, Algorithm::kSource, Algorithm::kOptimal}) {
    EXPECT_EQ(Explore(program, algorithm).states.size(), 6U);
  }
  EXPECT_EQ(Explore(program, Algorithm::kOptimal).executions, 6U);
}

// A thread of random instructions; critical sections are closed again.
std::vector<Instruction> RandomThread(std::mt19937& random, size_t length) {
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::vector<Instruction> thread;
  while (thread.size() < length) {
    uint32_t object = below(2);
    switch (below(14)) {
      case 0:
      case 1:
        thread.push_back({I::kLoad, object});
        break;
      case 2:
        thread.push_back({I::kStore, object, 1 + below(2)});
        break;
      case 3:
        thread.push_back({I::kStoreReg, object, 1});
        break;
      case 4:
        thread.push_back({I::kAdd, object, 1});
        break;
      case 5:
        thread.push_back({I::kCas, object, below(2), 2});
        break;
      case 6:
        thread.insert(thread.end(), {{I::kSkipIf, 0, below(2), 1}, {I::kStore, object, 3}});
        break;
      case 7:
        thread.push_back({I::kPost, 0});
        break;
      case 8:
        thread.push_back({I::kTake, 0});
        break;
      case 9:
        thread.push_back({I::kSignal, 0});
        break;
      case 10:
        thread.insert(thread.end(), {{I::kLock, 0}, {I::kWait, 0, 0}, {I::kUnlock, 0}});
        break;
      case 11:
        thread.insert(thread.end(), {{I::kReadLock, object}, {I::kLoad, object}, {I::kUnlock, object}});
        break;
      case 12:
        thread.insert(thread.end(),
                      {{I::kTryLock, object}, {I::kSkipIf, 0, 0, 2}, {I::kAdd, object, 1}, {I::kUnlock, object}});
        break;
      default:
        thread.insert(thread.end(), {{I::kLock, object}, {I::kAdd, object, 1}, {I::kUnlock, object}});
    }
  }
  return thread;
}

TEST(RandomPrograms, EndInTheSameStates) {
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    std::mt19937 random(seed);
    ModelProgram program;
    size_t threads = 2 + random() % 2;
    for (size_t i = 0; i < threads; ++i) program.threads.push_back(RandomThread(random, threads == 2 ? 3 : 2));
    Outcome all = Explore(program, SearchOptions{Algorithm::kDfs, {}}, 3000, true);
    if (!all.complete) continue;
    for (Algorithm algorithm : {Algorithm::kDpor, Algorithm::kSource, Algorithm::kOptimal}) {
      Outcome some = Explore(program, algorithm);
      ASSERT_EQ(some.states, all.states) << "seed " << seed << " algorithm " << static_cast<int>(algorithm);
      ASSERT_LE(some.executions, all.executions);
      if (algorithm != Algorithm::kDpor) {
        ASSERT_EQ(some.executions, all.traces.size())
            << "seed " << seed << " algorithm " << static_cast<int>(algorithm);
      }
      if (algorithm == Algorithm::kOptimal) {
        ASSERT_EQ(some.asleep, 0U) << "seed " << seed;
      }
    }
  }
}

TEST(Bounds, PreemptionsFindWhatThatManyCanShow) {
  // The two increments are lost to each other with one preemption.
  ModelProgram program;
  program.threads = {{{I::kLoad, 0}, {I::kStoreReg, 0, 1}}, {{I::kLoad, 0}, {I::kStoreReg, 0, 1}}};
  Outcome none = Explore(program, SearchOptions{Algorithm::kOptimal, 0});
  Outcome one = Explore(program, SearchOptions{Algorithm::kOptimal, 1});
  Outcome all = Explore(program, Algorithm::kDfs);
  EXPECT_TRUE(none.cut);
  EXPECT_LT(none.states.size(), all.states.size());
  EXPECT_EQ(one.states, all.states);
}

TEST(Bounds, AgreeWithBoundedExhaustiveSearch) {
  for (uint32_t seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    ModelProgram program;
    for (size_t i = 0; i < 3; ++i) program.threads.push_back(RandomThread(random, 2));
    for (uint32_t bound : {0U, 1U, 2U}) {
      Outcome all = Explore(program, SearchOptions{Algorithm::kDfs, bound}, 2000);
      if (!all.complete) continue;
      Outcome some = Explore(program, SearchOptions{Algorithm::kDpor, bound});
      ASSERT_EQ(some.states, all.states) << "seed " << seed << " bound " << bound;
    }
  }
}

TEST(Bounds, DelaysGrowUntilEverythingIsCovered) {
  ModelProgram program;
  program.threads = {{{I::kLoad, 0}, {I::kStoreReg, 0, 1}}, {{I::kLoad, 0}, {I::kStoreReg, 0, 1}}, {{I::kLoad, 0}}};
  Outcome all = Explore(program, Algorithm::kDfs);
  size_t before = 0;
  for (uint32_t delays = 0;; ++delays) {
    SearchOptions options;
    options.delays = delays;
    Outcome some = Explore(program, options);
    if (delays == 0) {
      EXPECT_EQ(some.executions, 1U);
    }
    EXPECT_GT(some.executions, before);
    before = some.executions;
    ASSERT_LE(delays, 10U);
    if (some.cut) continue;
    EXPECT_EQ(some.states, all.states);
    EXPECT_EQ(some.executions, all.executions);
    break;
  }
}

// Delays as their authors count them, by hand.
uint32_t DelaysOf(const Execution& execution) {
  uint32_t delays = 0;
  uint32_t last = wire::kMaxExplored;
  for (const ExploredEvent& event : execution.events) {
    for (uint32_t t = 0; t < 3; ++t) {
      bool could = event.enabled.Has(t);
      bool first = t == last || (event.thread != last && t < event.thread);
      if (could && first && t != event.thread) ++delays;
    }
    last = event.thread;
  }
  return delays;
}

TEST(Bounds, DelaysAreCountedAsInAllInterleavings) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    ModelProgram program;
    for (size_t i = 0; i < 3; ++i) program.threads.push_back(RandomThread(random, 2));
    std::map<uint32_t, uint64_t> by_delays;
    std::unique_ptr<Search> search = MakeSearch({Algorithm::kDfs, {}, {}});
    Request request;
    while (search->Next(&request)) {
      std::string state;
      Execution execution = program.Run(request, &state);
      ++by_delays[DelaysOf(execution)];
      ASSERT_TRUE(search->Executed(execution));
    }
    uint64_t within = 0;
    for (uint32_t delays = 0; delays < 4; ++delays) {
      within += by_delays[delays];
      SearchOptions options;
      options.delays = delays;
      Outcome some = Explore(program, options);
      ASSERT_EQ(some.executions + some.blocked, within) << "seed " << seed << " delays " << delays;
    }
  }
}

}  // namespace
}  // namespace heddle::explore
