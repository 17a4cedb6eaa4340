#include "detect/findings_file.h"

#include <gtest/gtest.h>

#include "detect/detect_findings.h"
#include "detect/lock_order.h"
#include "detect/tsan_options.h"

namespace heddle::detect {
namespace {

constexpr std::string_view kFile =
    "heddle-detect 1\ncommand ./x\nthread 0 T0 0\nthread 1 T1 40\n"
    "created 1 0\nstack 10 20\nend\n"
    "race 0\naccess 1 1 1000 4\nstack a b\nlocks 2000 3000 s\naccess 0 2 1000 4\nlocks\nblock ff0 40\nstack c\nend\n"
    "count 0 8\nmisuse unlock-free 1 2000\nstack d\nlocks\nend\n"
    "deadlock 1\nwaits 0 join 1\nstack e\nwaits 1 lock 2000\nstack f\nholds 3000 0\nstack 11\nend\n"
    "race 1\naccess 1 1 1000 4\nsta";

TEST(FindingsFileTest, ReadsWhatIsWhole) {
  EXPECT_TRUE(IsFindingsFile(kFile));
  FindingsFile file = ParseFindingsFile(kFile);
  ASSERT_EQ(file.races.size(), 1U);
  const Race& race = file.races[0];
  EXPECT_EQ(race.count, 8U);
  EXPECT_TRUE(race.first.write);
  EXPECT_EQ(race.first.stack, (std::vector<uint64_t>{0xa, 0xb}));
  ASSERT_EQ(race.first.locks.size(), 2U);
  EXPECT_TRUE(race.first.locks[1].shared);
  EXPECT_TRUE(race.second.atomic);
  EXPECT_TRUE(race.second.stack.empty());
  EXPECT_EQ(race.block_bytes, 40U);
  EXPECT_EQ(race.block_stack, std::vector<uint64_t>{0xc});
  ASSERT_EQ(file.misuses.size(), 1U);
  EXPECT_EQ(file.misuses[0].what, "unlock-free");
  ASSERT_EQ(file.deadlocks.size(), 1U);
  ASSERT_EQ(file.deadlocks[0].waiters.size(), 2U);
  EXPECT_EQ(file.deadlocks[0].waiters[1].holds[0].stack, std::vector<uint64_t>{0x11});
  EXPECT_EQ(file.creation_stacks.at(1), (std::vector<uint64_t>{0x10, 0x20}));
  EXPECT_FALSE(file.finished);
}

// The reader finds each word of the table, and no word stands for two things.
template <typename Enum>
void CheckWords() {
  for (int i = 0; i < static_cast<int>(Enum::kUnknown); ++i) {
    auto value = static_cast<Enum>(i);
    EXPECT_EQ(wire::FromWord<Enum>(std::string_view(WordOf(value))), value) << WordOf(value);
  }
  EXPECT_EQ(wire::FromWord<Enum>(std::string_view("something-else")), Enum::kUnknown);
}

TEST(FindingsFileTest, WordsAreReadAsTheyAreWritten) {
  CheckWords<wire::FindingLine>();
  CheckWords<wire::WaitKind>();
  CheckWords<wire::Misuse>();
  CheckWords<wire::DivergedBy>();
}

// A thread that waits for something new is not left out of its deadlock.
TEST(FindingsFileTest, UnknownWaitIsACall) {
  FindingsFile file = ParseFindingsFile("heddle-detect 1\ndeadlock 1\nwaits 0 riddle 7\nend\n");
  ASSERT_EQ(file.deadlocks.size(), 1U);
  EXPECT_EQ(file.deadlocks[0].waiters.at(0).what, wire::WaitKind::kCall);
}

TEST(FindingsFileTest, EveryPrefixIsRead) {
  for (size_t length = 0; length < kFile.size(); ++length) ParseFindingsFile(kFile.substr(0, length));
}

Waiter WaitsFor(uint32_t thread, wire::WaitKind what, uint64_t object, std::vector<uint64_t> holds) {
  Waiter waiter;
  waiter.thread = thread;
  waiter.what = what;
  waiter.object = object;
  for (uint64_t lock : holds) waiter.holds.push_back({lock, false, {}});
  return waiter;
}

LockEdge Edge(uint32_t thread, uint64_t from, uint64_t to, std::map<uint64_t, bool> gates = {}) {
  LockEdge edge;
  edge.thread = edge.slot = thread;
  edge.epoch = 1;
  edge.from = from;
  edge.to = to;
  edge.held = std::move(gates);
  edge.held[from] = false;
  return edge;
}

TEST(LockOrderTest, CyclesOfAnyLength) {
  EXPECT_EQ(FindLockCycles({Edge(1, 1, 2), Edge(2, 2, 1)}).cycles.size(), 1U);
  EXPECT_EQ(FindLockCycles({Edge(1, 1, 2), Edge(2, 2, 3), Edge(3, 3, 1)}).cycles.size(), 1U);
  EXPECT_EQ(FindLockCycles({Edge(1, 1, 2), Edge(2, 2, 3), Edge(3, 3, 4), Edge(4, 4, 1)}).cycles.size(), 1U);
  EXPECT_TRUE(FindLockCycles({Edge(1, 1, 2), Edge(2, 1, 3), Edge(3, 2, 3)}).cycles.empty());
}

TEST(LockOrderTest, OneThreadOrAGateMakesNoDeadlock) {
  EXPECT_TRUE(FindLockCycles({Edge(1, 1, 2), Edge(1, 2, 1)}).cycles.empty());
  EXPECT_TRUE(FindLockCycles({Edge(1, 1, 2, {{9, false}}), Edge(2, 2, 1, {{9, false}})}).cycles.empty());
  EXPECT_EQ(FindLockCycles({Edge(1, 1, 2, {{9, true}}), Edge(2, 2, 1, {{9, true}})}).cycles.size(), 1U);
}

TEST(LockOrderTest, OrderThatNoLockCausesExcludes) {
  LockEdge later = Edge(2, 2, 1);
  later.before[1] = 1;
  EXPECT_TRUE(FindLockCycles({Edge(1, 1, 2), later}).cycles.empty());
  later.before[1] = 0;
  EXPECT_EQ(FindLockCycles({Edge(1, 1, 2), later}).cycles.size(), 1U);
}

TEST(LockOrderTest, ReadersDoNotWaitForReaders) {
  LockEdge a = Edge(1, 1, 2);
  LockEdge b = Edge(2, 2, 1);
  a.from_shared = b.to_shared = true;
  a.held[1] = true;
  EXPECT_TRUE(FindLockCycles({a, b}).cycles.empty());
  b.to_shared = false;
  EXPECT_EQ(FindLockCycles({a, b}).cycles.size(), 1U);
}

// Two threads wait for each other, then the main thread for them: what happened once is said once.
TEST(AddFindingsTest, OneDeadlockIsOneFinding) {
  FindingsFile file;
  Waiter first = WaitsFor(1, wire::WaitKind::kLock, 0x2000, {0x1000}),
         second = WaitsFor(2, wire::WaitKind::kLock, 0x1000, {0x2000});
  file.edges = {Edge(1, 0x1000, 0x2000), Edge(2, 0x2000, 0x1000)};
  for (LockEdge& edge : file.edges) {
    edge.from_address = edge.from;
    edge.to_address = edge.to;
  }
  file.deadlocks = {{false, {first, second}}, {true, {WaitsFor(0, wire::WaitKind::kJoin, 1, {}), first, second}}};
  findings::Report report;
  AddFindings(file, report);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].steps.size(), 3U);

  // The same order by other threads did not happen, and another deadlock is another finding.
  file.edges[1].thread = file.edges[1].slot = 3;
  file.deadlocks.push_back({false, {WaitsFor(4, wire::WaitKind::kLock, 0x3000, {0x3000})}});
  findings::Report more;
  AddFindings(file, more);
  EXPECT_EQ(more.findings.size(), 3U);
}

TEST(TsanOptions, SeparatorsQuotesAndUnknownNames) {
  TsanOptions options;
  ReadTsanOptions("atexit_sleep_ms=0:report_bugs=0 suppressions='a b:c.supp',detect_deadlocks=no\nsomething", &options);
  EXPECT_FALSE(options.report_bugs);
  EXPECT_FALSE(options.detect_deadlocks);
  EXPECT_EQ(options.suppressions, "a b:c.supp");
  ReadTsanOptions("report_bugs=1", &options);  // later ones win
  EXPECT_TRUE(options.report_bugs);
  for (const char* text : {"", "=", "suppressions='", "a==b", ":::", "suppressions="}) ReadTsanOptions(text, &options);
}

TEST(TsanOptions, HidesWhatItNames) {
  findings::Report report;
  report.findings.resize(3);
  report.findings[0].kind = findings::Kind::kDataRace;
  report.findings[1].kind = findings::Kind::kMisuse;
  report.findings[1].steps.resize(1);
  report.findings[1].steps[0].what = "destroy-locked";
  report.findings[2].kind = findings::Kind::kDeadlock;
  TsanOptions options;
  options.report_destroy_locked = false;
  ApplyTsanOptions(options, report);
  EXPECT_FALSE(report.findings[0].suppressed);
  EXPECT_TRUE(report.findings[1].suppressed);
  options.report_bugs = false;
  ApplyTsanOptions(options, report);
  EXPECT_TRUE(report.findings[0].suppressed);
  EXPECT_FALSE(report.findings[2].suppressed);  // it ended the program: nobody may overlook it
}

}  // namespace
}  // namespace heddle::detect
