#include "sched/shrink.h"

#include <gtest/gtest.h>

#include <set>

#include "sched/random.h"

namespace heddle::sched {
namespace {

std::vector<wire::Switch> Numbered(size_t count) {
  std::vector<wire::Switch> switches;
  for (size_t i = 0; i < count; ++i) switches.push_back({0, 1, i});
  return switches;
}

// Against every subset: a failure that needs certain elements is shrunk to exactly these.
TEST(Shrink, FindsTheElementsThatMatter) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    size_t count = 1 + random.Below(60);
    std::set<uint64_t> needed;
    for (uint64_t i = random.Below(5); i > 0; --i) needed.insert(random.Below(count));
    auto fails = [&](const std::vector<wire::Switch>& part) {
      std::set<uint64_t> have;
      for (const wire::Switch& one : part) have.insert(one.after);
      for (uint64_t want : needed) {
        if (!have.contains(want)) return false;
      }
      return true;
    };
    std::vector<wire::Switch> left = Shrink(Numbered(count), fails);
    std::set<uint64_t> found;
    for (const wire::Switch& one : left) found.insert(one.after);
    EXPECT_EQ(found, needed);
  }
}

TEST(Shrink, StopsWhenPatienceIsOver) {
  int asked = 0;
  std::vector<wire::Switch> left = Shrink(
      Numbered(1000),
      [&](const std::vector<wire::Switch>&) {
        ++asked;
        return false;
      },
      10);
  EXPECT_EQ(asked, 10);
  EXPECT_EQ(left.size(), 1000U);
}

TEST(Shrink, SwitchesAreCountedByThread) {
  Result<Schedule> schedule =
      ParseSchedule("x", "heddle-schedule 1\n\nT0 lock *2\nT0 unlock\nT1 begin\nT0 lock\nT1 lock\n");
  ASSERT_TRUE(schedule.ok());
  std::vector<wire::Switch> switches = SwitchesOf(*schedule);
  ASSERT_EQ(switches.size(), 3U);
  EXPECT_EQ(switches[0].after, 3U);
  EXPECT_EQ(switches[1].thread, 1U);
  EXPECT_EQ(switches[1].after, 1U);
  EXPECT_EQ(switches[2].after, 4U);
  EXPECT_EQ(switches[2].target, 1U);
}

}  // namespace
}  // namespace heddle::sched
