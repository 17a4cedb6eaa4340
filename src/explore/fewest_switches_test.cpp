#include "explore/fewest_switches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "explore/happens_before.h"

namespace heddle::explore {
namespace {

std::vector<ExploredEvent> RandomEvents(std::mt19937& random, size_t length) {
  std::vector<ExploredEvent> events(length);
  for (ExploredEvent& event : events) {
    event.thread = static_cast<uint8_t>(random() % 3);
    event.object = 1 + random() % 3;
    event.flags = random() % 2 == 0 ? wire::kWrites : 0;
  }
  return events;
}

size_t Switches(const std::vector<ExploredEvent>& events, const std::vector<size_t>& order) {
  size_t switches = 0;
  for (size_t i = 1; i < order.size(); ++i) switches += events[order[i]].thread != events[order[i - 1]].thread ? 1 : 0;
  return switches;
}

// Every order in which what happens before comes before.
size_t NaiveFewest(const std::vector<ExploredEvent>& events, const HappensBefore& before, std::vector<size_t>& order) {
  if (order.size() == events.size()) return Switches(events, order);
  size_t fewest = events.size();
  for (size_t i = 0; i < events.size(); ++i) {
    if (std::find(order.begin(), order.end(), i) != order.end()) continue;
    bool ready = true;
    for (size_t j = 0; j < events.size(); ++j) {
      bool done = std::find(order.begin(), order.end(), j) != order.end();
      ready = ready && (j == i || done || !before.Before(j, i));
    }
    if (!ready) continue;
    order.push_back(i);
    fewest = std::min(fewest, NaiveFewest(events, before, order));
    order.pop_back();
  }
  return fewest;
}

TEST(FewestSwitches, AgreesWithTryingAllOrders) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<ExploredEvent> events = RandomEvents(random, 3 + random() % 5);
    HappensBefore before;
    for (const ExploredEvent& event : events) before.Append(event);
    std::vector<size_t> order = FewestSwitches(events);
    ASSERT_EQ(order.size(), events.size());
    for (size_t i = 0; i < order.size(); ++i) {
      for (size_t j = i + 1; j < order.size(); ++j) ASSERT_FALSE(before.Before(order[j], order[i])) << "seed " << seed;
    }
    std::vector<size_t> none;
    ASSERT_EQ(Switches(events, order), NaiveFewest(events, before, none)) << "seed " << seed;
  }
}

TEST(FewestSwitches, GivesAnEquivalentOrderWhenItGivesUp) {
  std::mt19937 random(7);
  std::vector<ExploredEvent> events = RandomEvents(random, 200);
  HappensBefore before;
  for (const ExploredEvent& event : events) before.Append(event);
  std::vector<size_t> order = FewestSwitches(events, 10);
  ASSERT_EQ(order.size(), events.size());
  for (size_t i = 1; i < order.size(); ++i) ASSERT_FALSE(before.Before(order[i], order[i - 1]));
  std::vector<size_t> as_it_was(events.size());
  for (size_t i = 0; i < as_it_was.size(); ++i) as_it_was[i] = i;
  EXPECT_LE(Switches(events, order), Switches(events, as_it_was));
}

TEST(FewestSwitches, GivesAnEquivalentOrderOfManyThreads) {
  std::mt19937 random(8);
  std::vector<ExploredEvent> events = RandomEvents(random, 400);
  for (size_t i = 0; i < events.size(); ++i) events[i].thread = static_cast<uint16_t>(random() % 150);
  HappensBefore before;
  for (const ExploredEvent& event : events) before.Append(event);
  std::vector<size_t> order = FewestSwitches(events);
  ASSERT_EQ(order.size(), events.size());
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = i + 1; j < order.size(); ++j) ASSERT_FALSE(before.Before(order[j], order[i]));
  }
}

TEST(AsLateAsPossible, LeavesOutWhatDependsOnIt) {
  std::vector<ExploredEvent> events(4);
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].thread = static_cast<uint8_t>(i % 3);
    events[i].object = i == 0 || i == 2 ? 1 : 2;
    events[i].flags = wire::kWrites;
  }
  // 0 and 2 share an object, 1 and 3 another one; 3 is by the thread of 0.
  EXPECT_EQ(AsLateAsPossible(events, 0), (std::vector<size_t>{1, 0}));
  EXPECT_EQ(AsLateAsPossible(events, 2), (std::vector<size_t>{0, 1, 3, 2}));
}

}  // namespace
}  // namespace heddle::explore
