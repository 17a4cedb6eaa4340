// One order that is cut back and goes on, with the races that it keeps, against one made anew for each execution.
#include "explore/happens_before.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explore/random_program.h"
#include "explore/search.h"

namespace heddle::explore {
namespace {

bool Same(const ExploredEvent& a, const ExploredEvent& b) {
  return a.thread == b.thread && a.object == b.object && a.flags == b.flags && a.value == b.value &&
         a.before == b.before && a.enabled == b.enabled && a.role == b.role;
}

void Update(HappensBefore& order, const std::vector<ExploredEvent>& events) {
  size_t common = 0;
  while (common < order.size() && common < events.size() && Same(order.event(common), events[common])) ++common;
  order.Truncate(common);
  for (size_t i = common; i < events.size(); ++i) order.Append(events[i]);
}

void ExpectSame(HappensBefore& kept, HappensBefore& fresh, const Execution& execution) {
  for (size_t i = 0; i < fresh.size(); ++i) {
    std::span<const size_t> races = kept.Races(i);
    std::span<const size_t> expected = fresh.Races(i);
    ASSERT_TRUE(std::equal(races.begin(), races.end(), expected.begin(), expected.end())) << "event " << i;
    for (size_t j = 0; j < i; ++j) ASSERT_EQ(kept.Before(j, i), fresh.Before(j, i)) << j << " and " << i;
  }
  for (const ExploredEvent& pending : execution.pending) {
    ASSERT_EQ(kept.RacesOfPending(pending), fresh.RacesOfPending(pending));
  }
}

TEST(HappensBefore, KeepsRacesOfWhatDidNotChange) {
  uint64_t executions = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    ModelProgram program = seed % 2 == 0 ? RandomProgram(seed) : RandomBlindProgram(seed);
    std::unique_ptr<Search> search = MakeSearch({});
    HappensBefore kept;
    Request request;
    for (int i = 0; i < 100 && search->Next(&request); ++i) {
      std::string state;
      Execution execution = program.Run(request, &state);
      ASSERT_TRUE(search->Executed(execution));
      HappensBefore fresh;
      Update(kept, execution.events);
      Update(fresh, execution.events);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(kept, fresh, execution)) << "seed " << seed;
      ++executions;
    }
  }
  EXPECT_GT(executions, 1000U);
}

// Clocks become wider when a thread comes that they have no room for.
TEST(HappensBefore, ThreadsMayComeLate) {
  HappensBefore order;
  for (uint16_t thread : {0, 1, 40, 200}) {
    ExploredEvent event;
    event.thread = thread;
    event.object = 8;
    event.flags = wire::kWrites;
    order.Append(event);
  }
  for (size_t j = 0; j < 4; ++j) {
    for (size_t i = 0; i < j; ++i) EXPECT_TRUE(order.Before(i, j));
  }
  EXPECT_EQ(order.Races(3).size(), 1U);
  order.Truncate(1);
  EXPECT_EQ(order.size(), 1U);
  EXPECT_TRUE(order.Races(0).empty());
}

}  // namespace
}  // namespace heddle::explore
