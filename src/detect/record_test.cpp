#include "detect/record.h"

#include <gtest/gtest.h>

#include "detect/lock_order.h"

namespace heddle::detect {
namespace {

constexpr std::string_view kRecord =
    "heddle-detect 1\ncommand ./x\nthread 0 T0 0\nthread 1 T1 40\n"
    "created 1 0\nstack 10 20\nend\n"
    "race 0\naccess 1 1 1000 4\nstack a b\nlocks 2000 3000 s\naccess 0 2 1000 4\nlocks\nblock ff0 40\nstack c\nend\n"
    "count 0 8\nmisuse unlock-free 1 2000\nstack d\nlocks\nend\n"
    "deadlock 1\nwaits 0 join 1\nstack e\nwaits 1 lock 2000\nstack f\nholds 3000 0\nstack 11\nend\n"
    "race 1\naccess 1 1 1000 4\nsta";

TEST(RecordTest, ReadsWhatIsWhole) {
  EXPECT_TRUE(IsRecord(kRecord));
  Record record = ParseRecord(kRecord);
  ASSERT_EQ(record.races.size(), 1U);
  const Race& race = record.races[0];
  EXPECT_EQ(race.count, 8U);
  EXPECT_TRUE(race.first.write);
  EXPECT_EQ(race.first.stack, (std::vector<uint64_t>{0xa, 0xb}));
  ASSERT_EQ(race.first.locks.size(), 2U);
  EXPECT_TRUE(race.first.locks[1].shared);
  EXPECT_TRUE(race.second.atomic);
  EXPECT_TRUE(race.second.stack.empty());
  EXPECT_EQ(race.block_bytes, 40U);
  EXPECT_EQ(race.block_stack, std::vector<uint64_t>{0xc});
  ASSERT_EQ(record.misuses.size(), 1U);
  EXPECT_EQ(record.misuses[0].what, "unlock-free");
  ASSERT_EQ(record.deadlocks.size(), 1U);
  ASSERT_EQ(record.deadlocks[0].waiters.size(), 2U);
  EXPECT_EQ(record.deadlocks[0].waiters[1].holds[0].stack, std::vector<uint64_t>{0x11});
  EXPECT_EQ(record.creation_stacks.at(1), (std::vector<uint64_t>{0x10, 0x20}));
  EXPECT_FALSE(record.finished);
}

TEST(RecordTest, EveryPrefixIsRead) {
  for (size_t length = 0; length < kRecord.size(); ++length) ParseRecord(kRecord.substr(0, length));
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

}  // namespace
}  // namespace heddle::detect
