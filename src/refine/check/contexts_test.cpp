// The checker against definition 9 on tiny threads: for pairs of straight-line threads (two variables, two values, up
// to six steps) that the check accepts for every environment, every context up to a size and every interleaving is
// tried. If the original and the context have no race, the transformed thread and the context must have none, and must
// reach no new final state. Shares nothing with the checker.
//
// Also: figure 3.13 as printed (an unlock's accesses may come from before it) accepts pairs that definition 9 refutes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
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

// All states that `threads` can end in from an initial state, and whether two of them can race: their next steps access
// the same variable, one writing (definition 7).
struct Behaviour {
  bool race = false;
  std::set<std::vector<int>> finals;
};

class Explorer {
 public:
  Explorer(const Thread& a, const Thread& b) : threads_{&a, &b} {}

  Behaviour From(std::vector<int> state) {
    pc_[0] = pc_[1] = 0;
    registers_[0] = registers_[1] = 0;
    holder_ = -1;
    Step(std::move(state));
    return out_;
  }

 private:
  bool Ended(int t) const { return pc_[t] == threads_[t]->size(); }
  const Op& Next(int t) const { return (*threads_[t])[pc_[t]]; }

  void Step(std::vector<int> state) {
    if (Ended(0) && Ended(1)) out_.finals.insert(state);
    if (!Ended(0) && !Ended(1) && IsAccess(Next(0)) && IsAccess(Next(1)) && Next(0).variable == Next(1).variable &&
        (IsWrite(Next(0)) || IsWrite(Next(1)))) {
      out_.race = true;
    }
    for (int t = 0; t < 2; ++t) {
      if (Ended(t) || (Next(t).kind == Op::kLock && holder_ >= 0)) continue;
      Run(t, state);
    }
  }

  void Run(int t, std::vector<int> state) {
    int old_register = registers_[t];
    int old_holder = holder_;
    const Op& op = Next(t);
    switch (op.kind) {
      case Op::kLock:
        holder_ = t;
        break;
      case Op::kUnlock:
        holder_ = -1;
        break;
      case Op::kRead:
        registers_[t] = state[op.variable];
        break;
      case Op::kWrite:
        state[op.variable] = op.value;
        break;
      case Op::kWriteRegister:
        state[op.variable] = registers_[t];
        break;
    }
    ++pc_[t];
    Step(std::move(state));
    --pc_[t];
    registers_[t] = old_register;
    holder_ = old_holder;
  }

  const Thread* threads_[2];
  size_t pc_[2] = {0, 0};
  int registers_[2] = {0, 0};
  int holder_ = -1;
  Behaviour out_;
};

Behaviour Together(const Thread& a, const Thread& b, const std::vector<int>& initial) {
  return Explorer(a, b).From(initial);
}

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

using State = std::vector<int>;

std::vector<State> AllStates() {
  std::vector<State> all;
  for (int a = 0; a < kValues; ++a) {
    for (int b = 0; b < kValues; ++b) all.push_back({a, b});
  }
  return all;
}

// Definition 9 against all contexts.
bool Refines(const Thread& transformed, const Thread& original, const std::vector<Thread>& contexts) {
  for (const Thread& context : contexts) {
    bool original_races = false;
    std::vector<Behaviour> before;
    for (const State& initial : AllStates()) {
      before.push_back(Together(original, context, initial));
      original_races |= before.back().race;
    }
    if (original_races) continue;
    size_t i = 0;
    for (const State& initial : AllStates()) {
      Behaviour after = Together(transformed, context, initial);
      if (after.race) return false;
      for (const State& final : after.finals) {
        if (!before[i].finals.contains(final)) return false;
      }
      ++i;
    }
  }
  return true;
}

// The trace of a thread in an environment that sets the whole state at each lock; what was accessed since the last
// unlock stays (figure 3.12).
Trace Record(const Thread& thread, const std::vector<State>& environment, const std::set<int>* only) {
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
  State state(kVariables, 0);
  std::set<int> accessed;
  size_t locks = 0;
  int value = 0;
  auto acquire = [&](uint32_t lock) {
    trace.events.push_back(Event::Make(EventKind::kLock, lock, 0, 0, 0));
    for (int x = 0; x < kVariables; ++x) {
      if (accessed.contains(x) || (only != nullptr && only->contains(x))) continue;
      state[x] = environment[locks][x];
      trace.events.push_back(
          Event::Make(EventKind::kEnvironment, trace.symbols[x].base, 1, static_cast<uint64_t>(state[x]), 0));
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
    if (op.kind == Op::kRead) value = state[op.variable];
    if (op.kind == Op::kWrite) state[op.variable] = op.value;
    if (op.kind == Op::kWriteRegister) state[op.variable] = value;
    trace.events.push_back(Event::Make(IsWrite(op) ? EventKind::kWrite : EventKind::kRead,
                                       trace.symbols[op.variable].base, 1, static_cast<uint64_t>(state[op.variable]),
                                       0));
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
  std::vector<State> states = AllStates();
  std::vector<size_t> choice(locks, 0);
  while (true) {
    std::vector<State> environment;
    for (size_t c : choice) environment.push_back(states[c]);
    Trace t2 = Record(transformed, environment, nullptr);
    Trace t = Record(original, environment, nullptr);
    if (!CheckTraces(t, t2).matches()) return false;
    size_t i = 0;
    while (i < locks && ++choice[i] == states.size()) choice[i++] = 0;
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

TEST(Contexts, WhatTheCheckAcceptsRefines) {
  std::vector<Thread> contexts = AllContexts(Share("HEDDLE_REFINE_CONTEXT", 3));
  RandomThreads random(7);
  int accepted = 0;
  int changed = 0;
  for (int i = 0; i < Share("HEDDLE_REFINE_THREADS", 300); ++i) {
    Thread original = random.Make();
    Thread transformed = random.Mutate(original);
    if (!CheckAccepts(transformed, original)) continue;
    ++accepted;
    changed += Show(transformed) != Show(original) ? 1 : 0;
    ASSERT_TRUE(Refines(transformed, original, contexts)) << Show(original) << "-> " << Show(transformed);
  }
  EXPECT_GT(accepted, 50);
  EXPECT_GT(changed, 10);
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
