// Every search against an enumeration that shares nothing with it, on random programs of loads, stores, exchanges,
// compare-and-swaps, loops that wait for a value, locks, attempts at them, semaphores, condition variables and waits
// with a limit.
//
// The enumeration takes every enabled thread in every state. Two of its executions are equivalent when each pair of
// operations that touch one object, one of them writing, comes in the same order in both. A search must end in the same
// states; optimal and source must perform each class exactly once.
//
// HEDDLE_RANDOM_PROGRAMS sets how many programs are tried (default: a share that takes a few seconds),
// HEDDLE_RANDOM_SEED the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "explore/model_program.h"
#include "explore/search.h"

namespace heddle::explore {
namespace {

using I = Instruction;

struct Outcome {
  std::multiset<std::string> classes;
  std::set<std::string> states;
  uint64_t asleep = 0;
  uint64_t executions = 0;
  bool all = true;
};

bool Conflict(const ExploredEvent& a, const ExploredEvent& b) {
  bool writes = ((a.flags | b.flags) & wire::kWrites) != 0;
  if (a.bytes != 0 && b.bytes != 0) {
    bool apart = a.object + a.bytes <= b.object || b.object + b.bytes <= a.object;
    return writes && !apart;
  }
  auto touches = [](const ExploredEvent& e, uint64_t object) {
    return object != 0 && (e.object == object || e.second == object);
  };
  return writes && (touches(a, b.object) || touches(a, b.second));
}

// The same for equivalent executions, and only for those.
std::string ClassOf(const Execution& execution) {
  const std::vector<ExploredEvent>& events = execution.events;
  char count[wire::kMaxExplored] = {};
  std::string names;  // of two characters
  for (const ExploredEvent& event : events) {
    names += static_cast<char>('A' + event.thread);
    names += static_cast<char>('a' + count[event.thread]++);
  }
  std::vector<uint32_t> orders;
  auto name = [&](size_t i) { return static_cast<uint32_t>(names[2 * i] << 8 | names[2 * i + 1]); };
  for (size_t i = 0; i < events.size(); ++i) {
    orders.push_back(name(i));
    for (size_t j = i + 1; j < events.size(); ++j) {
      if (events[i].thread != events[j].thread && Conflict(events[i], events[j]))
        orders.push_back(name(i) << 16 | name(j));
    }
  }
  std::sort(orders.begin(), orders.end());
  std::string text;
  for (uint32_t order : orders) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      if ((order >> shift & 0xFF) != 0) text += static_cast<char>(order >> shift & 0xFF);
    }
    text += ' ';
  }
  return text;
}

uint32_t Preemptions(const Execution& execution) {
  uint32_t count = 0;
  for (size_t i = 1; i < execution.events.size(); ++i) {
    uint32_t last = execution.events[i - 1].thread;
    bool goes_on = (execution.events[i].enabled >> last & 1U) != 0;
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
        if ((execution.events[i].enabled >> t & 1U) == 0 || t == execution.events[i].thread) continue;
        std::vector<Step> prefix;
        for (size_t j = 0; j < i; ++j) prefix.push_back({execution.events[j].thread, wire::kAnyValue});
        prefix.push_back({static_cast<uint8_t>(t), wire::kAnyValue});
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

class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  ModelProgram Program() {
    ModelProgram program;
    uint32_t threads = 3 + Below(3);
    uint32_t kinds = Below(4);
    wide_ = Below(8) == 0;
    for (uint32_t i = 0; i < threads; ++i) {
      std::vector<Instruction>& thread = program.threads.emplace_back();
      uint32_t steps = threads == 3 ? 1 + Below(3) : 1 + Below(2);
      for (uint32_t step = 0; step < steps; ++step) {
        kinds == 0 ? Atomic(thread) : kinds == 1 ? Lock(thread) : kinds == 2 ? Any(thread) : Await(thread);
      }
    }
    return program;
  }

 private:
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  uint32_t Cell() { return Below(4) == 0 ? 1 : 0; }
  void Any(std::vector<Instruction>& thread) { Below(2) == 0 ? Atomic(thread) : Lock(thread); }

  void Atomic(std::vector<Instruction>& thread) {
    switch (wide_ ? Below(8) : 8 + Below(8)) {
      case 0:
      case 1:
        return thread.push_back({I::kWideLoad});
      case 2:
        return thread.push_back({I::kWideStore, 0, 1 + Below(2)});
      case 3:
      case 4:
      case 8:
        return thread.push_back({I::kLoad, Cell()});
      case 5:
      case 9:
        return thread.push_back({I::kStore, Cell(), 1 + Below(3)});
      case 6:
      case 10:
        return thread.push_back({I::kAdd, Cell(), 1});
      case 7:
      case 11:
        thread.push_back({I::kSkipIf, 0, Below(2), 1});
        return thread.push_back({I::kStore, Cell(), 3});
      case 12:
        return thread.push_back({Below(2) == 0 ? I::kExchange : I::kOr, Cell(), Below(3)});
      default:
        return thread.push_back({I::kCas, Cell(), Below(3), 1 + Below(3)});
    }
  }

  // Loops that wait for a value, and what may bring it.
  void Await(std::vector<Instruction>& thread) {
    switch (Below(8)) {
      case 0:
        return thread.push_back({I::kAwait, Cell(), Below(3)});
      case 1:
        return thread.push_back({I::kAwaitBelow, Cell(), 1 + Below(2)});
      case 2:
        return Add(thread, {{I::kAwaitCas, 0, 0, 1}, {I::kAdd, 1, 1}, {I::kStore, 0, 0}});
      case 3:
        return Add(thread, {{I::kAwaitSwap, 0, 1}, {I::kStoreReg, 1, 1}, {I::kStore, 0, Below(2)}});
      case 4:
        return thread.push_back({I::kAwaitCas, Cell(), Below(3), Below(3)});
      case 5:
        return Lock(thread);
      default:
        return Atomic(thread);
    }
  }

  void Lock(std::vector<Instruction>& thread) {
    uint32_t lock = Cell();
    switch (Below(8)) {
      case 0:
        return Add(thread, {{I::kLock, lock}, {I::kAdd, 0, 1}, {I::kUnlock, lock}});
      case 1:
        return Add(thread, {{I::kTryLock, lock}, {I::kSkipIf, 0, 0, 2}, {I::kStore, 1, 1}, {I::kUnlock, lock}});
      case 2:
        return Add(thread, {{I::kTryLock, lock}, {I::kSkipIf, 0, 0, 1}, {I::kUnlock, lock}});
      case 3:
        return Add(thread, {{I::kLock, 0}, {Below(2) == 0 ? I::kWait : I::kTimedWait, 0, 0}, {I::kUnlock, 0}});
      case 4:
        return Add(thread, {{I::kLock, 0}, {I::kTimedWait, 0, 0}, {I::kStoreReg, 1, 1}, {I::kUnlock, 0}});
      case 5:
        return thread.push_back({Below(2) == 0 ? I::kSignal : I::kBroadcast, 0});
      case 6:
        if (Below(2) == 0) return thread.push_back({I::kPost, 0});
        return thread.push_back({Below(2) == 0 ? I::kTake : I::kTryTake, 0});
      default:
        return Add(thread, {{I::kReadLock, lock}, {I::kLoad, 0}, {I::kUnlock, lock}});
    }
  }
  static void Add(std::vector<Instruction>& thread, std::initializer_list<Instruction> more) {
    thread.insert(thread.end(), more);
  }

  std::mt19937 random_;
  bool wide_ = false;  // accesses of two sizes, and none that writes or not
};

std::string Text(const ModelProgram& program) {
  std::string text;
  for (const std::vector<Instruction>& thread : program.threads) {
    text += "\n  ";
    for (const Instruction& i : thread) {
      text += std::to_string(i.what) + "(" + std::to_string(i.object) + "," + std::to_string(i.a) + "," +
              std::to_string(i.b) + ") ";
    }
  }
  return text;
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
    ModelProgram program = Writer(seed).Program();
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

}  // namespace
}  // namespace heddle::explore
