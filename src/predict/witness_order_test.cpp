#include "predict/witness_order.h"

#include <gtest/gtest.h>

#include "trace/event.h"

namespace heddle::predict {
namespace {

using trace::Kind;

SyncEvent Event(Act act, Kind kind, uint32_t object, uint32_t order) {
  SyncEvent event;
  event.act = act;
  event.kind = kind;
  event.object = object;
  event.order = order;
  return event;
}

// T0 starts T1; both take lock 0, T0 also lock 1.
TraceModel TwoThreads() {
  TraceModel model;
  model.locks = 2;
  model.threads.resize(2);
  model.threads[0] = {Event(Act::kFree, Kind::ThreadFork, 0, 0), Event(Act::kLock, Kind::Lock, 0, 2),
                      Event(Act::kUnlock, Kind::Unlock, 0, 3), Event(Act::kLock, Kind::Lock, 1, 6)};
  model.threads[1] = {Event(Act::kFree, Kind::ThreadBegin, 0, 1), Event(Act::kLock, Kind::Lock, 0, 4),
                      Event(Act::kUnlock, Kind::Unlock, 0, 5)};
  model.needs = {{0, 1}};
  model.threads[1][0].must = 1;
  return model;
}

std::string Name(Kind kind) { return std::string(trace::KindName(kind)); }

TEST(WitnessOrder, StartsAndLocks) {
  TraceModel model = TwoThreads();
  std::vector<Place> places = {{0, 0}, {1, 0}, {1, 1}, {1, 2}, {0, 1}, {0, 2}, {0, 3}};
  std::vector<PlaceOrder> orders = WitnessOrder(model, places);
  std::vector<PlaceOrder> expected = {{0, 1, Name(Kind::ThreadFork) + " before " + Name(Kind::ThreadBegin)},
                                      {3, 4, Name(Kind::Unlock) + " before " + Name(Kind::Lock)}};
  EXPECT_EQ(orders, expected);
}

TEST(WitnessOrder, WhatIsLeftOutGivesNoArrow) {
  TraceModel model = TwoThreads();
  std::vector<Place> places = {{1, 0}, {0, 1}, {1, 1}};  // no fork, no unlock
  EXPECT_TRUE(WitnessOrder(model, places).empty());
}

TEST(WitnessOrder, ReadersComeAfterTheWriterOnly) {
  TraceModel model;
  model.locks = 1;
  model.threads.resize(3);
  model.threads[0] = {Event(Act::kLock, Kind::Lock, 0, 0), Event(Act::kUnlock, Kind::Unlock, 0, 1)};
  model.threads[1] = {Event(Act::kReadLock, Kind::Lock, 0, 2), Event(Act::kReadUnlock, Kind::Unlock, 0, 3)};
  model.threads[2] = {Event(Act::kReadLock, Kind::Lock, 0, 4), Event(Act::kReadUnlock, Kind::Unlock, 0, 5)};
  std::vector<Place> places = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}};
  std::vector<PlaceOrder> orders = WitnessOrder(model, places);
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders[0].from, 1U);
  EXPECT_EQ(orders[0].to, 2U);
  EXPECT_EQ(orders[1].from, 1U);
  EXPECT_EQ(orders[1].to, 4U);
}

TEST(RecordedAt, CountsFromOne) {
  TraceModel model = TwoThreads();
  EXPECT_EQ(RecordedAt(model, {1, 1}, false), 5U);
  EXPECT_EQ(RecordedAt(model, {1, 1}, true), 2U);  // an access behind the start
  EXPECT_EQ(RecordedAt(model, {1, 0}, true), 0U);
  EXPECT_EQ(RecordedAt(model, {1, 3}, false), 0U);
}

}  // namespace
}  // namespace heddle::predict
