// The checker against the definitions (testing/literal.h) on random pairs of short traces, and on the thesis's
// examples.
#include "refine/check/check.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <utility>

#include "refine/check/explain.h"
#include "refine/check/testing/literal.h"

namespace heddle::refine {
namespace {

constexpr int kVariables = 3;

// Which bytes of a variable, a location of two bytes, an access is to.
enum class Part : uint8_t { kWhole, kLow, kHigh };

// A step of a tiny thread. Lock operations carry the environment's values, -1 for none.
struct Step {
  EventKind kind = EventKind::kRead;
  int operand = 0;
  int value = 0;
  std::vector<int> environment;
  Part part = Part::kWhole;
};
using Steps = std::vector<Step>;

Trace ToTrace(const Steps& steps, bool terminated) {
  Trace trace;
  trace.locks = {kThreadLockName, "a", "b"};
  for (int x = 0; x < kVariables; ++x) {
    Symbol symbol;
    symbol.name = std::string(1, static_cast<char>('x' + x));
    symbol.base = NextBase(trace.symbols);
    symbol.initial = {0, 0};
    symbol.bytes.resize(2);  // both of location 0
    trace.symbols.push_back(symbol);
  }
  auto place = [&](int x) { return trace.symbols[x].base; };
  auto both = [](int value) { return static_cast<uint64_t>(value) * 0x101; };
  for (const Step& step : steps) {
    bool sync = step.kind == EventKind::kLock || step.kind == EventKind::kUnlock;
    uint32_t where = sync ? static_cast<uint32_t>(step.operand) : place(step.operand);
    bool whole = step.part == Part::kWhole;
    where += step.part == Part::kHigh ? 1 : 0;
    uint64_t value = whole ? both(step.value) : static_cast<uint64_t>(step.value);
    trace.events.push_back(Event::Make(step.kind, where, sync ? 0 : whole ? 2 : 1, sync ? 0 : value, 0));
    for (int x = 0; x < static_cast<int>(step.environment.size()); ++x) {
      if (step.environment[x] < 0) continue;
      trace.events.push_back(Event::Make(EventKind::kEnvironment, place(x), 2, both(step.environment[x]), 0));
    }
  }
  trace.end = terminated ? RunEnd::kEnded : RunEnd::kStepLimit;
  return trace;
}

testing::TransitionTrace ToTransitions(const Steps& steps, bool terminated) {
  testing::TransitionTrace out;
  out.terminated = terminated;
  testing::State state(kVariables, 0);
  for (const Step& step : steps) {
    if (step.kind == EventKind::kLock || step.kind == EventKind::kUnlock) {
      if (!out.items.empty()) out.items.back().end = state;
      for (int x = 0; x < static_cast<int>(step.environment.size()); ++x) {
        if (step.environment[x] >= 0) state[x] = step.environment[x] * 0x101;
      }
      testing::Transition item;
      item.lock = step.operand;
      item.is_lock = step.kind == EventKind::kLock;
      item.start = state;
      out.items.push_back(item);
    } else if (step.kind == EventKind::kWrite) {
      out.items.back().writes.insert(step.operand);
      int& now = state[step.operand];
      if (step.part != Part::kHigh) now = (now & 0xff00) | step.value;
      if (step.part != Part::kLow) now = (now & 0xff) | step.value << 8;
    } else {
      out.items.back().reads.insert(step.operand);
    }
  }
  if (!out.items.empty()) out.items.back().end = state;
  return out;
}

class RandomSteps {
 public:
  explicit RandomSteps(uint64_t seed) : random_(seed) {}

  // Well-locked (definition 21, or 3 without nesting).
  Steps Thread(bool nested) {
    Steps steps;
    std::vector<int> held;
    auto length = static_cast<int>(Below(12)) + 2;
    Lock(steps, held, static_cast<int>(Below(2)) + 1);
    for (int i = 0; i < length; ++i) {
      uint64_t what = Below(10);
      if (what < 2 && held.size() < (nested ? 2 : 1)) {
        int lock = held.empty() ? static_cast<int>(Below(2)) + 1 : 3 - held[0];
        Lock(steps, held, lock);
      } else if (what < 5 && !held.empty()) {
        size_t which = Below(held.size());
        steps.push_back({EventKind::kUnlock, held[which], 0, {}});
        held.erase(held.begin() + static_cast<long>(which));
      } else {
        steps.push_back(Access());
      }
    }
    while (!held.empty()) {
      steps.push_back({EventKind::kUnlock, held.back(), 0, {}});
      held.pop_back();
    }
    return steps;
  }

  // A few changes: accesses moved, removed, added; now and then a lock operation or the environment.
  Steps Mutate(Steps steps) {
    for (uint64_t n = Below(4); n > 0; --n) {
      size_t at = 1 + Below(steps.size() - 1);
      bool sync = steps[at].kind == EventKind::kLock || steps[at].kind == EventKind::kUnlock;
      uint64_t what = Below(12);
      if (what < 4 && at + 1 < steps.size() && !(sync && IsSync(steps[at + 1]))) {
        std::swap(steps[at], steps[at + 1]);
      } else if (what < 7 && !sync) {
        steps.erase(steps.begin() + static_cast<long>(at));
        if (steps.size() < 2) break;
      } else if (what < 9) {
        steps.insert(steps.begin() + static_cast<long>(at), Access());
      } else if (what == 9 && !sync && steps[at].kind == EventKind::kWrite) {
        steps[at].value = static_cast<int>(Below(3));
      } else if (what == 10 && Below(4) == 0 && sync) {
        steps[at].operand = 3 - steps[at].operand;
      } else if (what == 11 && steps[at].kind == EventKind::kLock) {
        steps[at].environment[Below(kVariables)] = static_cast<int>(Below(3));
      }
    }
    return steps;
  }

  uint64_t Below(uint64_t n) { return random_() % n; }

 private:
  static bool IsSync(const Step& step) { return step.kind == EventKind::kLock || step.kind == EventKind::kUnlock; }
  void Lock(Steps& steps, std::vector<int>& held, int lock) {
    Step step{EventKind::kLock, lock, 0, std::vector<int>(kVariables, -1)};
    for (int& value : step.environment) value = Below(3) == 0 ? static_cast<int>(Below(3)) : -1;
    steps.push_back(step);
    held.push_back(lock);
  }
  Step Access() {
    bool write = Below(2) == 0;
    return {write ? EventKind::kWrite : EventKind::kRead,
            static_cast<int>(Below(kVariables)),
            write ? static_cast<int>(Below(3)) : 0,
            {},
            static_cast<Part>(Below(3))};
  }

  std::mt19937_64 random_;
};

bool Accepts(const Steps& transformed, const Steps& original, bool end2, bool end) {
  Verdict verdict = CheckTraces(ToTrace(original, end), ToTrace(transformed, end2));
  return verdict.matches();
}

std::string Show(const Steps& steps) {
  return "\n" + [&] {
    std::string text;
    for (const Event& event : ToTrace(steps, true).events) {
      text += std::to_string(static_cast<int>(event.kind())) + ":" + std::to_string(event.place) + "=" +
              std::to_string(event.value) + " ";
    }
    return text;
  }();
}

// 100,000 pairs with HEDDLE_REFINE_PAIRS=100000; a share of them otherwise.
int Pairs() {
  const char* wanted = std::getenv("HEDDLE_REFINE_PAIRS");
  return wanted == nullptr ? 20'000 : std::atoi(wanted);
}

TEST(Check, AgreesWithFigure313) {
  RandomSteps random(1);
  int accepted = 0;
  for (int i = 0; i < Pairs(); ++i) {
    Steps original = random.Thread(true);
    Steps transformed = random.Mutate(original);
    bool end = random.Below(8) != 0;
    bool end2 = random.Below(8) != 0;
    bool literal =
        testing::MatchNested(ToTransitions(transformed, end2), ToTransitions(original, end), testing::Reading::kSound);
    accepted += literal ? 1 : 0;
    ASSERT_EQ(Accepts(transformed, original, end2, end), literal) << i << Show(original) << Show(transformed);
  }
  EXPECT_GT(accepted, Pairs() / 10);
  EXPECT_LT(accepted, Pairs() * 9 / 10);
}

// Definition 3: what figure 3.8 speaks of.
bool Alternates(const Steps& steps) {
  int held = 0;
  for (const Step& step : steps) {
    if (step.kind == EventKind::kLock && std::exchange(held, step.operand) != 0) return false;
    if (step.kind == EventKind::kUnlock && std::exchange(held, 0) != step.operand) return false;
  }
  return held == 0;
}

TEST(Check, AgreesWithFigure38) {
  RandomSteps random(2);
  int accepted = 0;
  for (int i = 0; i < Pairs(); ++i) {
    Steps original = random.Thread(false);
    Steps transformed = random.Mutate(original);
    if (!Alternates(transformed)) continue;
    bool literal = testing::MatchFlat(ToTransitions(transformed, true), ToTransitions(original, true));
    accepted += literal ? 1 : 0;
    ASSERT_EQ(Accepts(transformed, original, true, true), literal) << i << Show(original) << Show(transformed);
  }
  EXPECT_GT(accepted, Pairs() / 10);
  EXPECT_LT(accepted, Pairs() * 9 / 10);
}

Step L(int lock = 1) { return {EventKind::kLock, lock, 0, {}}; }
Step U(int lock = 1) { return {EventKind::kUnlock, lock, 0, {}}; }
Step W(int x, int value) { return {EventKind::kWrite, x, value, {}}; }
Step R(int x) { return {EventKind::kRead, x, 0, {}}; }

Constraint Broken(const Steps& original, const Steps& transformed) {
  return CheckTraces(ToTrace(original, true), ToTrace(transformed, true)).violation.constraint;
}

std::string Words(const Steps& original, const Steps& transformed) {
  Trace a = ToTrace(original, true);
  Trace b = ToTrace(transformed, true);
  return Explain(a, b, CheckTraces(a, b).violation).headline;
}

TEST(Check, Figure32) {
  Steps original = {L(), W(0, 1), W(0, 2), U(), R(1), L(), W(1, 1), U(), W(1, 2)};
  Steps transformed = {L(), W(0, 2), U(), R(1), L(), W(1, 1), W(1, 2), U(), R(1)};
  EXPECT_EQ(Broken(original, transformed), Constraint::kNone);
}

TEST(Check, InverseRoachMotel) {
  Steps original = {L(), W(0, 1), W(1, 1), U(), W(1, 2)};
  EXPECT_EQ(Broken(original, {L(), W(0, 1), U(), W(1, 1), W(1, 2)}), Constraint::kNone);
}

TEST(Check, NamesWhatWasDone) {
  Steps original = {L(), W(0, 1), U(), R(2), U(0)};
  EXPECT_EQ(Words(original, {L(), U(), W(0, 1), R(2), U(0)}), "moved a write to `x` behind its unlock");
  EXPECT_EQ(Words(original, {L(), W(0, 1), U(), W(0, 1), R(2), U(0)}), "wrote `x` again outside of its section");
  EXPECT_EQ(Words(original, {L(), U(), R(2), U(0)}), "removed a write to `x`");
  EXPECT_EQ(Words(original, {L(), W(0, 1), W(1, 0), U(), R(2), U(0)}),
            "invented a write to `y`, of the value that it has");
  EXPECT_EQ(Words(original, {L(), W(0, 1), W(1, 3), U(), R(2), U(0)}), "invented a write to `y`");
  EXPECT_EQ(Words({L(), R(0), U(), U(0)}, {L(), U(), R(0), U(0)}), "moved a read of `x` behind its unlock");
  EXPECT_EQ(Words({L(1), L(2), U(2), U(1)}, {L(2), L(1), U(2), U(1)}), "swapped the lock of `a` and the lock of `b`");
}

TEST(Check, ReadsMayBeCollected) {
  Trace a = ToTrace({L(), U(), U(0)}, true);
  Trace b = ToTrace({L(), U(), R(1), R(1), U(0)}, true);
  Verdict verdict = CheckTraces(a, b, {.reads = false});
  EXPECT_TRUE(verdict.matches());
  EXPECT_EQ(verdict.extra_reads.size(), 1U);
}

TEST(Check, VolatileAccessesStay) {
  auto with = [](const Steps& steps) {
    Trace trace = ToTrace(steps, true);
    for (Symbol& symbol : trace.symbols) {
      for (ByteInfo& byte : symbol.bytes) {
        byte.is_volatile = true;
        byte.unit = 2;
      }
    }
    return trace;
  };
  Trace original = with({L(), W(0, 1), W(0, 2), U()});
  EXPECT_EQ(CheckTraces(original, original).violation.constraint, Constraint::kNone);
  EXPECT_EQ(CheckTraces(original, with({L(), W(0, 2), U()})).violation.constraint, Constraint::kVolatile);
  Step half = W(0, 1);
  half.part = Part::kLow;
  EXPECT_EQ(CheckTraces(original, with({L(), half, W(0, 2), U()})).violation.constraint, Constraint::kVolatile);
}

TEST(Check, PaddingAndBitFieldRuns) {
  auto with = [](std::vector<Event> events) {
    Trace trace;
    trace.locks = {kThreadLockName};
    Symbol symbol;
    symbol.name = "s";
    symbol.initial.assign(8, 0);
    symbol.bytes.resize(8);
    for (uint32_t i = 0; i < 8; ++i) symbol.bytes[i].location = i < 2 ? 0 : i;  // bytes 0 and 1 are a run
    symbol.bytes[2].mask = 0;                                                   // padding
    trace.symbols = {symbol};
    trace.events = {Event::Make(EventKind::kLock, 0, 0, 0, 0)};
    trace.events.insert(trace.events.end(), events.begin(), events.end());
    trace.events.push_back(Event::Make(EventKind::kUnlock, 0, 0, 0, 0));
    return trace;
  };
  auto write = [](uint32_t place, uint32_t size, uint64_t value) {
    return Event::Make(EventKind::kWrite, place, size, value, 0);
  };
  Trace original = with({write(0, 1, 5)});
  EXPECT_TRUE(CheckTraces(original, with({write(0, 2, 5)})).matches()) << "the whole run may be written";
  EXPECT_TRUE(CheckTraces(original, with({write(0, 2, 5), write(2, 1, 9)})).matches()) << "padding may be written";
  EXPECT_EQ(CheckTraces(original, with({write(0, 4, 5)})).violation.constraint, Constraint::kWriteRace);
}

}  // namespace
}  // namespace heddle::refine
