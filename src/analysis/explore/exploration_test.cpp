#include "analysis/explore/exploration.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "analysis/testing/fake_target.h"
#include "analysis/testing/temporary_folder.h"
#include "base/file.h"

namespace heddle::analysis {
namespace {

using explore::Instruction;
using explore::ModelProgram;
using Thread = std::vector<Instruction>;

ModelProgram Of(std::vector<Thread> threads) {
  ModelProgram program;
  program.threads = std::move(threads);
  return program;
}

// Two threads take two locks in opposite orders.
ModelProgram CrossedLocks() {
  auto thread = [](uint32_t first, uint32_t second) {
    return Thread{{Instruction::kLock, first},
                  {Instruction::kLock, second},
                  {Instruction::kUnlock, second},
                  {Instruction::kUnlock, first}};
  };
  return Of({thread(0, 1), thread(1, 0)});
}

// Two threads add one by a load and a store: one addition may be lost.
ModelProgram LostUpdate() {
  Thread thread = {{Instruction::kLoad, 0}, {Instruction::kStoreReg, 0, 1}};
  return Of({thread, thread});
}

bool Lost(const std::string& state) { return state.find("c0=1 ") != std::string::npos; }

// All final states, by trying every order.
std::set<std::string> AllStates(const ModelProgram& program) {
  std::set<std::string> states;
  std::vector<explore::Request> open(1);
  while (!open.empty()) {
    explore::Request request = open.back();
    open.pop_back();
    std::string state;
    explore::Execution execution = program.Run(request, &state);
    if (request.prefix.size() == execution.events.size()) {
      states.insert(state);
      continue;
    }
    execution.events[request.prefix.size()].enabled.ForEach([&](uint32_t thread) {
      explore::Request next = request;
      next.prefix.push_back({static_cast<uint16_t>(thread), wire::kAnyValue});
      open.push_back(std::move(next));
    });
  }
  return states;
}

class ExplorationTest : public testing::Test {
 protected:
  ExplorationOptions OptionsFor(FakeTarget& target) {
    ExplorationOptions options;
    options.command = {"fake"};
    options.target = &target;
    options.folder = folder_.path();
    options.shown = "results";
    return options;
  }
  static findings::Report Run(const ExplorationOptions& options) {
    Result<findings::Report> report = Explore(options, [](const ExplorationProgress&) {});
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.ok() ? report.Take() : findings::Report{};
  }

  TemporaryFolder folder_;
};

TEST_F(ExplorationTest, SeesEveryFinalStateAndCallsItComplete) {
  for (ModelProgram program :
       {LostUpdate(), CrossedLocks(), Of({{{Instruction::kAdd, 0, 1}}, {{Instruction::kAdd, 1, 1}}})}) {
    FakeTarget target(program);
    std::set<std::string> seen;
    target.exit_code = [&](const std::string& state) {
      seen.insert(state);
      return 0;
    };
    findings::Report report = Run(OptionsFor(target));
    EXPECT_TRUE(report.coverage.complete) << report.coverage.bound;
    for (const std::string& state : AllStates(program)) {
      bool deadlocked = state.find("4:") != 0 && program.threads[0].size() == 4;
      EXPECT_TRUE(seen.contains(state) || deadlocked) << state;
    }
  }
}

TEST_F(ExplorationTest, IndependentThreadsNeedOneExecution) {
  FakeTarget target(Of({{{Instruction::kAdd, 0, 1}}, {{Instruction::kAdd, 2, 1}}}));
  findings::Report report = Run(OptionsFor(target));
  EXPECT_EQ(target.explored, 1U);
  EXPECT_TRUE(report.coverage.complete);
}

TEST_F(ExplorationTest, DeadlockIsConfirmedByReplay) {
  FakeTarget target(CrossedLocks());
  findings::Report report = Run(OptionsFor(target));
  ASSERT_EQ(report.findings.size(), 1U);
  const findings::Finding& finding = report.findings[0];
  EXPECT_EQ(finding.kind, findings::Kind::kDeadlock);
  EXPECT_EQ(finding.status, findings::FindingStatus::kConfirmed);
  EXPECT_EQ(finding.replay, "heddle replay results/1.schedule -- fake");
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/1.schedule"));
  EXPECT_TRUE(report.coverage.complete);
  EXPECT_EQ(target.replays, 1U);
}

TEST_F(ExplorationTest, OneOrderOfTheLocksHasNoDeadlock) {
  ModelProgram program = CrossedLocks();
  program.threads[1] = program.threads[0];
  FakeTarget target(program);
  findings::Report report = Run(OptionsFor(target));
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.coverage.complete);
}

TEST_F(ExplorationTest, FailureIsFoundAndCounted) {
  FakeTarget target(LostUpdate());
  target.exit_code = [](const std::string& state) { return Lost(state) ? 3 : 0; };
  findings::Report report = Run(OptionsFor(target));
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].kind, findings::Kind::kFailure);
  EXPECT_EQ(report.findings[0].status, findings::FindingStatus::kConfirmed);
  EXPECT_GT(report.coverage.succeeded, 0U);
  EXPECT_GT(report.coverage.failed, 0U);
}

// What a replay does not show is not called confirmed.
TEST_F(ExplorationTest, UnrepeatableFindingStaysPossible) {
  FakeTarget target(CrossedLocks());
  target.repeats = false;
  findings::Report report = Run(OptionsFor(target));
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].status, findings::FindingStatus::kPossible);
  EXPECT_EQ(report.findings[0].status_note, "seen once, a replay did not repeat it");
  EXPECT_FALSE(report.coverage.complete);  // what executions do is not all that decides how they end
}

// What is not restored may have caused it: the program is not accused, and nothing is called complete.
TEST_F(ExplorationTest, UnrepeatableEndBehindAGapIsNoFinding) {
  FakeTarget target(CrossedLocks());
  target.repeats = false;
  target.has_gap = true;
  findings::Report report = Run(OptionsFor(target));
  EXPECT_TRUE(report.findings.empty());
  EXPECT_FALSE(report.coverage.complete);
  EXPECT_NE(report.coverage.bound.find("an execution came to a stop, which a replay in a new process did not"),
            std::string::npos)
      << report.coverage.bound;
}

TEST_F(ExplorationTest, ALimitIsABoundAndNotComplete) {
  FakeTarget target(LostUpdate());
  ExplorationOptions options = OptionsFor(target);
  options.executions = 1;
  findings::Report report = Run(options);
  EXPECT_EQ(target.explored, 1U);
  EXPECT_FALSE(report.coverage.complete);
  EXPECT_NE(report.coverage.bound.find("the limit of 1 execution"), std::string::npos) << report.coverage.bound;
}

TEST_F(ExplorationTest, FirstFindingStopsTheSearch) {
  FakeTarget all(LostUpdate()), first(LostUpdate());
  all.exit_code = first.exit_code = [](const std::string&) { return 1; };
  Run(OptionsFor(all));
  ExplorationOptions options = OptionsFor(first);
  options.first = true;
  findings::Report report = Run(options);
  EXPECT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(first.explored, 1U);
  EXPECT_GT(all.explored, first.explored);
  EXPECT_FALSE(report.coverage.complete);
}

// What was found before the program went away is told, and silence about the rest is no promise.
TEST_F(ExplorationTest, GoneProgramIsNotComplete) {
  FakeTarget target(LostUpdate());
  target.gone_after = 2;
  target.exit_code = [](const std::string&) { return 1; };
  findings::Report report = Run(OptionsFor(target));
  EXPECT_EQ(report.findings.size(), 1U);
  EXPECT_FALSE(report.coverage.complete);
}

TEST_F(ExplorationTest, ProgramThatNeverAnswersIsAnError) {
  FakeTarget target(LostUpdate());
  target.gone_after = 0;
  EXPECT_FALSE(Explore(OptionsFor(target), [](const ExplorationProgress&) {}).ok());
}

TEST_F(ExplorationTest, AGapForbidsComplete) {
  FakeTarget target(LostUpdate());
  target.has_gap = true;
  findings::Report report = Run(OptionsFor(target));
  EXPECT_FALSE(report.coverage.complete);
}

TEST_F(ExplorationTest, SeveralJobsPerformTheSameSearch) {
  FakeTarget one(LostUpdate()), four(LostUpdate());
  findings::Report alone = Run(OptionsFor(one));
  ExplorationOptions options = OptionsFor(four);
  options.jobs = 4;
  findings::Report together = Run(options);
  EXPECT_EQ(alone.coverage.executions, together.coverage.executions);
  EXPECT_TRUE(together.coverage.complete);
}

// A search that was stopped goes on where it was, without performing again what it has.
TEST_F(ExplorationTest, ResumedSearchEndsAsAWholeOne) {
  FakeTarget whole(CrossedLocks()), parts(CrossedLocks());
  findings::Report expected = Run(OptionsFor(whole));
  ExplorationOptions options = OptionsFor(parts);
  options.executions = 1;
  Run(options);
  TemporaryFolder second;
  options.executions = 0;
  options.resume = options.folder;
  options.folder = second.path();
  findings::Report report = Run(options);
  EXPECT_EQ(report.coverage.executions, expected.coverage.executions);
  EXPECT_EQ(parts.explored, whole.explored);
  EXPECT_TRUE(report.coverage.complete);
}

TEST_F(ExplorationTest, PreemptionBoundFindsWithinItAndSaysSo) {
  FakeTarget target(LostUpdate());
  target.exit_code = [](const std::string& state) { return Lost(state) ? 1 : 0; };
  ExplorationOptions options = OptionsFor(target);
  options.algorithm = "dfs";
  options.preemptions = 0;
  findings::Report none = Run(options);
  EXPECT_TRUE(none.findings.empty());
  EXPECT_FALSE(none.coverage.complete);
  options.preemptions = 1;
  EXPECT_EQ(Run(options).findings.size(), 1U);
}

TEST_F(ExplorationTest, SamplingIsNeverComplete) {
  FakeTarget target(LostUpdate());
  target.exit_code = [](const std::string& state) { return Lost(state) ? 1 : 0; };
  ExplorationOptions options = OptionsFor(target);
  options.algorithm = "random";
  options.executions = 50;
  findings::Report report = Run(options);
  EXPECT_EQ(report.coverage.executions, 50U);
  EXPECT_EQ(report.findings.size(), 1U);
  EXPECT_FALSE(report.coverage.complete);
}

TEST_F(ExplorationTest, SamplesHaveTheLengthOfTheFirst) {
  FakeTarget target(LostUpdate());
  ExplorationOptions options = OptionsFor(target);
  options.algorithm = "pct";
  options.executions = 3;
  Run(options);
  ASSERT_EQ(target.samples.size(), 3U);
  EXPECT_EQ(target.samples[0].length, 0U);
  EXPECT_EQ(target.samples[1].length, 4U);
  EXPECT_EQ(target.samples[2].length, 4U);
  EXPECT_EQ(target.samples[2].seed, options.seed + 2);
}

}  // namespace
}  // namespace heddle::analysis
