// Orders of segments against the enumeration of all reorderings, and the patterns of accesses on small traces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "predict/naive_reorder.h"
#include "predict/order_search.h"
#include "predict/pattern_search.h"
#include "predict/random_trace.h"

namespace heddle::predict {
namespace {

using trace::Event;
using trace::Kind;

ModelledTrace Analyse(const std::vector<Event>& events) {
  ModelledTrace result;
  ModelBuilder builder;
  for (const Event& event : events) {
    result.log.Add(event, result.locksets, &builder);
    builder.Add(event);
    result.locksets.Add(event);
  }
  result.model = builder.Finish();
  result.strings = {{0, "atomic_begin()"}, {1, "atomic_end()"}};
  return result;
}

std::vector<Part> RandomParts(const TraceModel& model, std::mt19937_64& random) {
  std::vector<Part> parts;
  uint32_t count = 2 + random() % 2;
  auto thread = static_cast<uint32_t>(random() % model.threads.size());
  for (uint32_t i = 0; i < count; ++i) {
    auto position = static_cast<uint32_t>(1 + random() % (model.threads[thread].size() - 1));
    parts.push_back({{thread, position}, random() % 3 == 0});
    thread = static_cast<uint32_t>((thread + 1 + random() % (model.threads.size() - 1)) % model.threads.size());
  }
  return parts;
}

bool NaiveHas(const NaiveReorder& naive, const std::vector<Part>& parts, bool keep_data) {
  std::vector<NaiveReorder::Rule> rules;
  for (size_t i = 1; i < parts.size(); ++i) {
    uint32_t first = parts[i].operation ? parts[i].place.position : parts[i].place.position - 1;
    rules.push_back({parts[i].place.thread, first, parts[i - 1].place.thread, parts[i - 1].place.position + 1});
  }
  const Part& last = parts.back();
  uint32_t wanted = last.operation ? last.place.position + 1 : last.place.position;
  for (const auto& cut : naive.AllUnder(rules, keep_data)) {
    if (naive.Positions(cut)[last.place.thread] >= wanted) return true;
  }
  return false;
}

class OrderOfRandom : public testing::TestWithParam<RandomShape> {};

TEST_P(OrderOfRandom, AgreesWithEnumeration) {
  std::mt19937_64 random(5);
  uint32_t found = 0;
  for (uint64_t seed = 1; seed <= 80 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::vector<Event> events = RandomTrace(seed, GetParam()).Make();
    ModelledTrace trace = Analyse(events);
    NaiveReorder naive(events);
    for (int i = 0; i < 6; ++i) {
      std::vector<Part> parts = RandomParts(trace.model, random);
      for (bool keep_data : {false, true}) {
        SearchResult result = SearchOrder(trace.model, parts, {.data = keep_data}, {});
        ASSERT_EQ(result.verdict == Verdict::kFound, NaiveHas(naive, parts, keep_data)) << i << keep_data;
        if (result.verdict != Verdict::kFound) continue;
        ++found;
        NaiveReorder::State end;
        EXPECT_TRUE(naive.Runs(result.witness, keep_data, false, &end));
      }
    }
  }
  EXPECT_GT(found, 20U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, OrderOfRandom,
                         testing::Values(RandomShape{2, 8, 2, 2}, RandomShape{3, 5, 2, 2, true},
                                         RandomShape{3, 5, 2, 2, false, true, true},
                                         RandomShape{3, 5, 2, 2, true, true, true, true, true}));

// Thread 0 does `inside` with a region around it; thread 1 does `other` under the lock.
std::vector<Event> RegionTrace(const std::string& inside, char other) {
  std::vector<Event> events;
  uint64_t sequence = 0;
  auto add = [&](uint32_t thread, Kind kind, uint64_t address, uint64_t arg = 0) {
    Event event;
    event.kind = kind;
    event.thread = thread;
    event.address = address;
    event.arg = arg;
    event.sequence = trace::IsOrdered(kind) ? ++sequence : 0;
    event.detail = trace::IsPlainAccess(kind) ? 8 : 0;
    event.pc = 100 + events.size();
    events.push_back(event);
  };
  auto access = [&](uint32_t thread, char c) { add(thread, c == 'R' ? Kind::Read : Kind::Write, 4096); };
  add(0, Kind::ThreadBegin, 0);
  add(0, Kind::ThreadFork, 0, 1);
  add(0, Kind::User, 0, 0);
  for (char c : inside) {
    if (c == '(') add(0, Kind::Lock, 8);
    if (c == ')') add(0, Kind::Unlock, 8);
    if (c == 'R' || c == 'W') access(0, c);
  }
  add(0, Kind::User, 0, 1);
  add(1, Kind::ThreadBegin, 0);
  add(1, Kind::Lock, 8);
  access(1, other);
  add(1, Kind::Unlock, 8);
  add(1, Kind::ThreadEnd, 0);
  add(0, Kind::ThreadJoin, 0, 1);
  return events;
}

TEST(Patterns, TheFiveOfOneVariable) {
  for (const char* first : {"R", "W"}) {
    for (const char* last : {"R", "W"}) {
      for (char other : {'R', 'W'}) {
        std::string text = fmt::format("({})({})", first, last);
        ModelledTrace trace = Analyse(RegionTrace(text, other));
        bool wrong = other == 'W' || (text == "(W)(W)");
        PatternOutcome outcome = PatternSearch(&trace, {}).Run();
        EXPECT_EQ(outcome.patterns.size(), wrong ? 1U : 0U) << text << other;
        // In one section nothing comes between.
        ModelledTrace held = Analyse(RegionTrace(fmt::format("({}{})", first, last), other));
        EXPECT_TRUE(PatternSearch(&held, {}).Run().patterns.empty()) << text << other;
      }
    }
  }
}

TEST(Patterns, InferredOnlyWhenAskedFor) {
  std::vector<Event> events = RegionTrace("(R)(W)", 'W');
  std::erase_if(events, [](const Event& event) { return event.kind == Kind::User; });
  ModelledTrace trace = Analyse(events);
  EXPECT_TRUE(PatternSearch(&trace, {}).Run().patterns.empty());
  EXPECT_EQ(PatternSearch(&trace, {.infer = true}).Run().patterns.size(), 1U);
  std::vector<Event> again = RegionTrace("(R)(RW)", 'W');
  std::erase_if(again, [](const Event& event) { return event.kind == Kind::User; });
  ModelledTrace fresh = Analyse(again);
  EXPECT_TRUE(PatternSearch(&fresh, {.infer = true}).Run().patterns.empty());
}

}  // namespace
}  // namespace heddle::predict
