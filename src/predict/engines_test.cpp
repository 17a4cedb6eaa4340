// The engines against exhaustive enumeration, on random small traces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "predict/deadlock_search.h"
#include "predict/naive_reorder.h"
#include "predict/race_search.h"
#include "predict/random_trace.h"

namespace heddle::predict {
namespace {

using trace::Event;
using trace::Kind;

struct Analysed {
  Locksets locksets;
  AccessLog log;
  TraceModel model;
};

Analysed Analyse(const std::vector<Event>& events) {
  Analysed result;
  ModelBuilder builder;
  for (const Event& event : events) {
    result.log.Add(event, result.locksets, &builder);
    builder.Add(event);
    result.locksets.Add(event);
  }
  result.model = builder.Finish();
  return result;
}

using SitePair = std::pair<uint64_t, uint64_t>;

struct AccessAt {
  Place place;
  const Event* event;
};

std::vector<AccessAt> Accesses(const std::vector<Event>& events) {
  std::vector<AccessAt> found;
  std::map<uint32_t, uint32_t> operations;
  for (const Event& event : events) {
    if (event.AccessBytes() != 0) found.push_back({{event.thread, operations[event.thread]}, &event});
    if (IsOperation(event)) ++operations[event.thread];
  }
  return found;
}

bool Conflict(const Event& a, const Event& b) {
  if (a.thread == b.thread || a.address != b.address) return false;
  bool writes =
      a.kind == Kind::Write || b.kind == Kind::Write || a.kind == Kind::AtomicStore || b.kind == Kind::AtomicStore;
  return writes && !(trace::IsAtomic(a.kind) && trace::IsAtomic(b.kind));
}

std::set<SitePair> NaiveRaces(const std::vector<Event>& events, const std::set<std::vector<uint32_t>>& positions) {
  std::set<SitePair> found;
  std::vector<AccessAt> accesses = Accesses(events);
  for (const AccessAt& a : accesses) {
    for (const AccessAt& b : accesses) {
      if (a.event >= b.event || !Conflict(*a.event, *b.event)) continue;
      for (const auto& at : positions) {
        if (at[a.place.thread] != a.place.position || at[b.place.thread] != b.place.position) continue;
        found.insert({a.event->pc, b.event->pc});
        break;
      }
    }
  }
  return found;
}

std::set<std::vector<uint32_t>> Reached(const NaiveReorder& naive, bool keep_data) {
  std::set<std::vector<uint32_t>> positions;
  for (const auto& state : naive.All(keep_data, false)) positions.insert(naive.Positions(state.cut));
  return positions;
}

SitePair PairOf(const PredictedRace& race, const AccessLog& log) {
  return std::minmax(log.sites()[race.site_a].point.pc, log.sites()[race.site_b].point.pc);
}

void CheckRaces(const std::vector<Event>& events, bool locks_only) {
  Analysed trace = Analyse(events);
  NaiveReorder naive(events);
  std::set<SitePair> expected = NaiveRaces(events, Reached(naive, false));
  std::set<SitePair> with_data = NaiveRaces(events, Reached(naive, true));
  std::set<std::vector<uint32_t>> in_order;
  for (const auto& cut : naive.TraceOrderCuts()) in_order.insert(naive.Positions(cut));
  std::set<SitePair> in_trace_order = NaiveRaces(events, in_order);
  RaceOutcome outcome = RaceSearch(&trace.model, &trace.log, &trace.locksets, {}).Run();
  std::set<SitePair> found;
  for (const PredictedRace& race : outcome.races) {
    SitePair pair = PairOf(race, trace.log);
    found.insert(pair);
    NaiveReorder::State end;
    ASSERT_TRUE(naive.Runs(race.witness, race.engine != Engine::kSearchDataFree, false, &end));
    std::vector<uint32_t> at = naive.Positions(end.cut);
    for (const Place& place : race.target) EXPECT_EQ(at[place.thread], place.position);
    if (locks_only) {
      EXPECT_EQ(in_trace_order.contains(pair), race.engine == Engine::kSyncPreserving);
    }
    if (race.engine == Engine::kSyncPreserving) {
      EXPECT_TRUE(in_trace_order.contains(pair));
    }
    EXPECT_EQ(with_data.contains(pair), race.engine != Engine::kSearchDataFree);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(outcome.not_decided, 0U);
}

void CheckDeadlocks(const std::vector<Event>& events) {
  Analysed trace = Analyse(events);
  NaiveReorder naive(events);
  for (bool lost : {false, true}) {
    bool any = false;
    for (const auto& state : naive.All(false, lost)) any = any || naive.Stuck(state);
    EXPECT_EQ(SearchStuck(trace.model, {.lost_signals = lost}, {}).verdict == Verdict::kFound, any);
  }
  bool stuck = false;
  for (const auto& state : naive.All(false, true)) stuck = stuck || naive.Stuck(state);
  DeadlockOutcome outcome = SearchDeadlocks(trace.model, {});
  EXPECT_EQ(!outcome.deadlocks.empty(), stuck);
  EXPECT_TRUE(outcome.stuck_decided);
  EXPECT_EQ(outcome.not_decided, 0U);
  for (const PredictedDeadlock& deadlock : outcome.deadlocks) {
    NaiveReorder::State end;
    bool keep_data = deadlock.engine != Engine::kSearchDataFree;
    ASSERT_TRUE(naive.Runs(deadlock.witness, keep_data, deadlock.target.empty(), &end));
    if (deadlock.target.empty()) {
      EXPECT_TRUE(naive.Stuck(end));
    }
  }
}

class Engines : public testing::TestWithParam<RandomShape> {};

TEST_P(Engines, AgreeWithEnumeration) {
  RandomShape shape = GetParam();
  bool locks_only = !shape.semaphores && !shape.barriers;
  for (uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::vector<Event> events = RandomTrace(seed, shape).Make();
    CheckRaces(events, locks_only);
    CheckDeadlocks(events);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Engines,
                         testing::Values(RandomShape{2, 8, 2, 2}, RandomShape{3, 5, 3, 2},
                                         RandomShape{3, 5, 2, 2, true}, RandomShape{2, 8, 2, 2, false, true},
                                         RandomShape{3, 5, 2, 2, false, false, true},
                                         RandomShape{2, 9, 2, 2, false, false, false, true},
                                         RandomShape{3, 5, 2, 1, false, false, false, false, true},
                                         RandomShape{3, 5, 2, 2, true, true, true, true, true}));

}  // namespace
}  // namespace heddle::predict
