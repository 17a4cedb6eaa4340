// The timeline against a machine that knows the whole run: random programs, breakpoints, watched memory and moves.
#include "analysis/debug/timeline.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::analysis {
namespace {

// One instruction of the run. The run is a list of them, as it is performed.
struct Instruction {
  uint64_t pc = 0;
  uint64_t writes = 0;     // address; 0: none
  bool operation = false;  // a visible operation is complete behind it
};
using History = std::vector<Instruction>;

class FakeExecution final : public Execution {
 public:
  explicit FakeExecution(const History& run, size_t* at) : run_(run), at_(at) { *at_ = 0; }

  Stop Step(int) override { return Perform(); }
  Stop Continue(int) override {
    while (true) {
      Stop stop = Perform();
      if (stop.kind != Stop::Kind::kStep) return stop;
      if (breakpoints_.contains(Pc())) return {Stop::Kind::kBreakpoint, 5, 0};
    }
  }
  uint64_t Pc() const override { return in_trap_ ? kTrapPc : run_[*at_].pc; }
  uint64_t Steps() const override { return steps_; }
  void StopAt(uint64_t steps) override { stop_ = steps; }
  void SetBreakpoints(const std::set<uint64_t>& addresses) override { breakpoints_ = addresses; }
  bool SetWatches(const std::set<Watch>& watches) override {
    watches_ = watches;
    return true;
  }
  MachineState State() const override { return {Pc(), *at_ % 3, {*at_, steps_}}; }

 private:
  static constexpr uint64_t kTrapPc = 999;

  // The trap behind an operation is an instruction of its own, which is performed only when it was asked for.
  Stop Perform() {
    if (in_trap_) {
      in_trap_ = false;
      return {Stop::Kind::kMarker, 5, 0};
    }
    if (*at_ + 1 == run_.size()) return {Stop::Kind::kEnd, 0, 0};
    const Instruction& now = run_[*at_];
    ++*at_;
    if (now.operation) in_trap_ = ++steps_ == stop_;
    for (const Watch& watch : watches_) {
      if (watch.address == now.writes) return {Stop::Kind::kWatch, 5, watch.address};
    }
    return {Stop::Kind::kStep, 5, 0};
  }

  const History& run_;
  size_t* at_;
  uint64_t steps_ = 0;
  uint64_t stop_ = 0;
  bool in_trap_ = false;
  std::set<uint64_t> breakpoints_;
  std::set<Watch> watches_;
};

History RandomRun(std::mt19937& random) {
  History run(2 + random() % 60);
  for (Instruction& one : run) {
    one.pc = 1 + random() % 6;
    if (random() % 4 == 0) one.writes = 100 + random() % 2;
    // An operation's own write would stop at the marker only; the runtime's steps write nothing of the program's.
    if (one.writes == 0) one.operation = random() % 5 == 0;
  }
  // Behind an operation the program is in the runtime's code, where there are no breakpoints.
  for (size_t i = 1; i < run.size(); ++i) {
    if (run[i - 1].operation) run[i].pc = 50;
  }
  return run;
}

// Where reverse-continue from `at` has to end; nothing: at the beginning.
std::optional<size_t> NaiveBack(const History& run, size_t at, const std::set<uint64_t>& breakpoints,
                                const std::set<Watch>& watches) {
  std::optional<size_t> last;
  for (size_t i = 1; i <= at; ++i) {  // the program comes to stand at i
    bool watched = false;
    for (const Watch& watch : watches) watched = watched || watch.address == run[i - 1].writes;
    if (watched) {
      last = i - 1;
    } else if (i < at && breakpoints.contains(run[i].pc)) {
      last = i;
    }
  }
  return last;
}

TEST(Timeline, GoesBackAsTheRunWas) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    History run = RandomRun(random);
    size_t at = 0;
    Timeline timeline([&]() -> Result<std::unique_ptr<Execution>> {
      return std::unique_ptr<Execution>(new FakeExecution(run, &at));
    });
    ASSERT_TRUE(timeline.Restart().ok());
    std::set<uint64_t> breakpoints;
    std::set<Watch> watches;
    for (int move = 0; move < 12; ++move) {
      SCOPED_TRACE(testing::Message() << "trial " << trial << " move " << move << " at " << at);
      size_t from = at;
      switch (random() % 5) {
        case 0:
          breakpoints.clear();
          for (unsigned i = random() % 3; i > 0; --i) breakpoints.insert(1 + random() % 6);
          watches.clear();
          if (random() % 2 == 0) watches.insert(Watch{100 + random() % 2, 4, false});
          timeline.SetBreakpoints(breakpoints);
          timeline.SetWatches(watches);
          break;
        case 1:
          timeline.Continue(0);
          break;
        case 2:
          for (unsigned i = random() % 5; i > 0; --i) timeline.Step(0);
          break;
        case 3: {
          Result<Timeline::Back> back = timeline.ReverseStep();
          ASSERT_TRUE(back.ok()) << back.error().message;
          EXPECT_EQ(back->begin, from == 0);
          ASSERT_EQ(at, from == 0 ? 0 : from - 1);
          break;
        }
        default: {
          Result<Timeline::Back> back = timeline.ReverseContinue();
          ASSERT_TRUE(back.ok()) << back.error().message;
          std::optional<size_t> wanted = NaiveBack(run, from, breakpoints, watches);
          EXPECT_EQ(back->begin, !wanted.has_value());
          ASSERT_EQ(at, wanted.value_or(0));
        }
      }
    }
  }
}

// A run that ends earlier the second time is said, not taken for the same one.
TEST(Timeline, SaysThatARunIsAnother) {
  History run(20);
  for (size_t i = 0; i < run.size(); ++i) run[i] = {i + 1, 0, i % 4 == 3};
  History shorter(run.begin(), run.begin() + 6);
  size_t at = 0;
  int runs = 0;
  Timeline timeline([&]() -> Result<std::unique_ptr<Execution>> {
    return std::unique_ptr<Execution>(new FakeExecution(runs++ == 0 ? run : shorter, &at));
  });
  ASSERT_TRUE(timeline.Restart().ok());
  for (int i = 0; i < 14; ++i) timeline.Step(0);
  EXPECT_FALSE(timeline.ReverseContinue().ok());
}

}  // namespace
}  // namespace heddle::analysis
