// The checker against definition 9 on tiny threads: for pairs of straight-line threads (two variables, two values; all
// pairs of a few steps, random ones of up to six) that the check accepts for every environment, every context up to a
// size and every interleaving is tried. If the original and the context have no race, the transformed thread and the
// context must have none, and must reach no new final state. Shares nothing with the checker.
//
// Also: figure 3.13 as printed (an unlock's accesses may come from before it) accepts pairs that definition 9 refutes.
#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "refine/check/check.h"
#include "refine/check/testing/literal.h"

namespace heddle::refine {
namespace {

constexpr int kVariables = 2;
constexpr int kValues = 2;

// One lock. A read goes to the thread's register; a write is of a constant, or of the register.
struct Op {
  enum Kind { kLock, kUnlock, kRead, kWrite, kWriteRegister } kind = kRead;
  int variable = 0;
  int value = 0;
};
using Thread = std::vector<Op>;

bool IsAccess(const Op& op) { return op.kind >= Op::kRead; }
bool IsWrite(const Op& op) { return op.kind >= Op::kWrite; }

// A state of the two variables is a number: bit v is the value of variable v.
using State = unsigned;
constexpr State kStates = 1U << kVariables;
static_assert(kValues == 2);

State Set(State state, int variable, int value) {
  State bit = 1U << variable;
  return value != 0 ? state | bit : state & ~bit;
}

// All states that two threads can end in from an initial state, as bits, and whether they can race: their next steps
// access the same variable, one writing (definition 7).
struct Behaviour {
  bool race = false;
  unsigned finals = 0;
};

// Goes through all interleavings; what follows from a configuration is looked at once.
class Explorer {
 public:
  Explorer(const Thread& a, const Thread& b) : threads_{&a, &b} {}

  Behaviour From(State state) {
    Step({{0, 0}, {0, 0}, kFree, state});
    return out_;
  }

 private:
  static constexpr size_t kFree = 2;  // besides the number of the thread that holds the lock
  static constexpr size_t kMaxSteps = 7;
  struct Configuration {
    size_t pc[2];
    int registers[2];
    size_t holder;
    State state;
    size_t Number() const {
      size_t number = pc[0] * (kMaxSteps + 1) + pc[1];
      number = number * 4 + static_cast<size_t>(registers[0] * 2 + registers[1]);
      return (number * 3 + holder) * kStates + state;
    }
  };

  bool Ended(const Configuration& at, size_t t) const { return at.pc[t] == threads_[t]->size(); }
  const Op& Next(const Configuration& at, size_t t) const { return (*threads_[t])[at.pc[t]]; }

  void Step(const Configuration& at) {
    if (seen_[at.Number()]) return;
    seen_[at.Number()] = true;
    bool ended[2] = {Ended(at, 0), Ended(at, 1)};
    if (ended[0] && ended[1]) out_.finals |= 1U << at.state;
    if (!ended[0] && !ended[1]) {
      const Op& a = Next(at, 0);
      const Op& b = Next(at, 1);
      out_.race |= IsAccess(a) && IsAccess(b) && a.variable == b.variable && (IsWrite(a) || IsWrite(b));
    }
    for (size_t t = 0; t < 2; ++t) {
      if (!ended[t] && (Next(at, t).kind != Op::kLock || at.holder == kFree)) Step(After(at, t));
    }
  }

  Configuration After(Configuration at, size_t t) const {
    const Op& op = Next(at, t);
    switch (op.kind) {
      case Op::kLock:
        at.holder = t;
        break;
      case Op::kUnlock:
        at.holder = kFree;
        break;
      case Op::kRead:
        at.registers[t] = static_cast<int>(at.state >> op.variable & 1U);
        break;
      case Op::kWrite:
        at.state = Set(at.state, op.variable, op.value);
        break;
      case Op::kWriteRegister:
        at.state = Set(at.state, op.variable, at.registers[t]);
        break;
    }
    ++at.pc[t];
    return at;
  }

  const Thread* threads_[2];
  std::bitset<(kMaxSteps + 1) * (kMaxSteps + 1) * 4 * 3 * kStates> seen_;
  Behaviour out_;
};

// Every thread of up to `size` steps that is well locked.
std::vector<Thread> AllContexts(int size) {
  std::vector<Thread> all = {{}};
  std::function<void(Thread&, bool)> extend = [&](Thread& thread, bool held) {
    if (!held && !thread.empty()) all.push_back(thread);
    if (static_cast<int>(thread.size()) == size) return;
    auto with = [&](Op op, bool now) {
      thread.push_back(op);
      extend(thread, now);
      thread.pop_back();
    };
    with({held ? Op::kUnlock : Op::kLock, 0, 0}, !held);
    for (int x = 0; x < kVariables; ++x) {
      with({Op::kRead, x, 0}, held);
      with({Op::kWriteRegister, x, 0}, held);
      for (int v = 0; v < kValues; ++v) with({Op::kWrite, x, v}, held);
    }
  };
  Thread empty;
  extend(empty, false);
  return all;
}

// Definition 9 for one original: the contexts that do not race with it, and where it can end with each of them.
class Specification {
 public:
  Specification(const Thread& original, const std::vector<Thread>& contexts) {
    for (const Thread& context : contexts) {
      std::array<unsigned, kStates> finals{};
      bool race = false;
      for (State initial = 0; initial < kStates && !race; ++initial) {
        Behaviour behaviour = Explorer(original, context).From(initial);
        finals[initial] = behaviour.finals;
        race = behaviour.race;
      }
      if (!race) allowed_.push_back({&context, finals});
    }
  }

  bool RefinedBy(const Thread& transformed) const {
    for (const Allowed& allowed : allowed_) {
      for (State initial = 0; initial < kStates; ++initial) {
        Behaviour behaviour = Explorer(transformed, *allowed.context).From(initial);
        if (behaviour.race || (behaviour.finals & ~allowed.finals[initial]) != 0) return false;
      }
    }
    return true;
  }

 private:
  struct Allowed {
    const Thread* context;
    std::array<unsigned, kStates> finals;
  };
  std::vector<Allowed> allowed_;
};

bool Refines(const Thread& transformed, const Thread& original, const std::vector<Thread>& contexts) {
  return Specification(original, contexts).RefinedBy(transformed);
}

// The trace of a thread in an environment that sets the whole state at each lock; what was accessed since the last
// unlock stays (figure 3.12).
Trace Record(const Thread& thread, const std::vector<State>& environment) {
  Trace trace;
  trace.locks = {kThreadLockName, "m"};
  for (int x = 0; x < kVariables; ++x) {
    Symbol symbol;
    symbol.name = std::string(1, static_cast<char>('x' + x));
    symbol.base = NextBase(trace.symbols);
    symbol.initial = {0};
    symbol.bytes.resize(1);
    trace.symbols.push_back(symbol);
  }
  State state = 0;
  std::set<int> accessed;
  size_t locks = 0;
  int value = 0;
  auto acquire = [&](uint32_t lock) {
    trace.events.push_back(Event::Make(EventKind::kLock, lock, 0, 0, 0));
    for (int x = 0; x < kVariables; ++x) {
      if (accessed.contains(x)) continue;
      state = Set(state, x, static_cast<int>(environment[locks] >> x & 1U));
      trace.events.push_back(Event::Make(EventKind::kEnvironment, trace.symbols[x].base, 1, state >> x & 1U, 0));
    }
    ++locks;
  };
  acquire(kThreadLock);
  for (const Op& op : thread) {
    if (op.kind == Op::kLock) acquire(1);
    if (op.kind == Op::kUnlock) {
      trace.events.push_back(Event::Make(EventKind::kUnlock, 1, 0, 0, 0));
      accessed.clear();
    }
    if (!IsAccess(op)) continue;
    accessed.insert(op.variable);
    if (op.kind == Op::kRead) value = static_cast<int>(state >> op.variable & 1U);
    if (op.kind == Op::kWrite) state = Set(state, op.variable, op.value);
    if (op.kind == Op::kWriteRegister) state = Set(state, op.variable, value);
    trace.events.push_back(Event::Make(IsWrite(op) ? EventKind::kWrite : EventKind::kRead,
                                       trace.symbols[op.variable].base, 1, state >> op.variable & 1U, 0));
  }
  trace.events.push_back(Event::Make(EventKind::kUnlock, kThreadLock, 0, 0, 0));
  return trace;
}

size_t Locks(const Thread& thread) {
  size_t n = 1;
  for (const Op& op : thread) n += op.kind == Op::kLock ? 1 : 0;
  return n;
}

// check(T', T): every environment of the transformed thread. The original gets the same values; where it accessed
// something that the transformed thread did not, it keeps its own, as figure 3.12 wants.
bool CheckAccepts(const Thread& transformed, const Thread& original) {
  size_t locks = std::max(Locks(transformed), Locks(original));
  std::vector<State> environment(locks, 0);
  while (true) {
    if (!CheckTraces(Record(original, environment), Record(transformed, environment)).matches()) return false;
    size_t i = 0;
    while (i < locks && ++environment[i] == kStates) environment[i++] = 0;
    if (i == locks) return true;
  }
}

class RandomThreads {
 public:
  explicit RandomThreads(uint64_t seed) : random_(seed) {}
  Thread Make() {
    Thread thread;
    bool held = false;
    for (uint64_t n = 1 + random_() % 5; n > 0; --n) {
      if (random_() % 3 == 0) {
        thread.push_back({held ? Op::kUnlock : Op::kLock, 0, 0});
        held = !held;
      } else {
        thread.push_back(Access());
      }
    }
    if (held) thread.push_back({Op::kUnlock, 0, 0});
    return thread;
  }
  Thread Mutate(Thread thread) {
    for (uint64_t n = random_() % 3; n > 0 && !thread.empty(); --n) {
      size_t at = random_() % thread.size();
      switch (random_() % 3) {
        case 0:
          if (at + 1 < thread.size() && (IsAccess(thread[at]) || IsAccess(thread[at + 1]))) {
            std::swap(thread[at], thread[at + 1]);
          }
          break;
        case 1:
          if (IsAccess(thread[at])) thread.erase(thread.begin() + static_cast<long>(at));
          break;
        default:
          if (thread.size() < 6) thread.insert(thread.begin() + static_cast<long>(at), Access());
      }
    }
    return thread;
  }

 private:
  Op Access() {
    auto kind = static_cast<Op::Kind>(2 + random_() % 3);
    return {kind, static_cast<int>(random_() % kVariables), static_cast<int>(random_() % kValues)};
  }
  std::mt19937_64 random_;
};

std::string Show(const Thread& thread) {
  static constexpr const char* kNames[] = {"L", "U", "R", "W", "Wr"};
  std::string text;
  for (const Op& op : thread) {
    text += kNames[op.kind];
    if (IsAccess(op)) text += static_cast<char>('x' + op.variable);
    if (op.kind == Op::kWrite) text += std::to_string(op.value);
    text += " ";
  }
  return text;
}

int Share(const char* name, int otherwise) {
  const char* wanted = std::getenv(name);
  return wanted == nullptr ? otherwise : std::atoi(wanted);
}

// Random pairs of up to six steps.
TEST(Contexts, WhatTheCheckAcceptsRefines) {
  std::vector<Thread> contexts = AllContexts(Share("HEDDLE_REFINE_CONTEXT", 3));
  RandomThreads random(7);
  int accepted = 0;
  int changed = 0;
  for (int i = 0; i < Share("HEDDLE_REFINE_THREADS", 1000); ++i) {
    Thread original = random.Make();
    Thread transformed = random.Mutate(original);
    if (!CheckAccepts(transformed, original)) continue;
    ++accepted;
    changed += Show(transformed) != Show(original) ? 1 : 0;
    ASSERT_TRUE(Refines(transformed, original, contexts)) << Show(original) << "-> " << Show(transformed);
  }
  EXPECT_GT(accepted, 50);
  EXPECT_GT(changed, 10);
  RecordProperty("contexts", static_cast<int>(contexts.size()));
  RecordProperty("accepted", accepted);
  RecordProperty("changed", changed);
}

// All pairs of threads up to a size, with all contexts up to a size.
TEST(Contexts, AllSmallThreads) {
  std::vector<Thread> threads = AllContexts(Share("HEDDLE_REFINE_ALL", 2));
  std::vector<Thread> contexts = AllContexts(Share("HEDDLE_REFINE_CONTEXT", 3));
  int accepted = 0;
  for (const Thread& original : threads) {
    std::optional<Specification> specification;
    for (const Thread& transformed : threads) {
      if (!CheckAccepts(transformed, original)) continue;
      ++accepted;
      if (!specification) specification.emplace(original, contexts);
      ASSERT_TRUE(specification->RefinedBy(transformed)) << Show(original) << "-> " << Show(transformed);
    }
  }
  EXPECT_GT(accepted, static_cast<int>(threads.size()));
  RecordProperty("pairs", static_cast<int>(threads.size() * threads.size()));
  RecordProperty("accepted", accepted);
}

// Lock; read x; unlock, and the read behind the unlock: as printed, figure 3.13 lets it pass.
TEST(Contexts, FigureAsPrintedIsNotSound) {
  testing::TransitionTrace original;
  original.items = {{1, true, {0}, {0}, {}, {0}}, {1, false, {0}, {}, {}, {0}}};
  testing::TransitionTrace moved;
  moved.items = {{1, true, {0}, {}, {}, {0}}, {1, false, {0}, {0}, {}, {0}}};
  EXPECT_TRUE(testing::MatchNested(moved, original, testing::Reading::kAsPrinted));
  EXPECT_FALSE(testing::MatchNested(moved, original, testing::Reading::kSound));
  Thread in = {{Op::kLock, 0, 0}, {Op::kRead, 0, 0}, {Op::kUnlock, 0, 0}};
  Thread out = {{Op::kLock, 0, 0}, {Op::kUnlock, 0, 0}, {Op::kRead, 0, 0}};
  EXPECT_FALSE(Refines(out, in, AllContexts(3)));
}

}  // namespace
}  // namespace heddle::refine
