// Properties on random traces against the other engines, and the slice that they are checked on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "predict/cut_search.h"
#include "predict/model_builder.h"
#include "predict/model_slice.h"
#include "predict/property_check.h"
#include "predict/random_trace.h"

namespace heddle::predict {
namespace {

using trace::Event;
using trace::Kind;

const std::vector<std::string> kShare = {std::string(HEDDLE_SOURCE_DIR) + "/share/csp"};

// An event of its own before some operations of each thread; the value is the thread's number of it.
std::vector<Event> WithCustomEvents(const std::vector<Event>& events, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<uint32_t, uint64_t> count;
  std::vector<Event> mixed;
  for (const Event& event : events) {
    mixed.push_back(event);
    if (event.kind != Kind::Lock && event.kind != Kind::Unlock) continue;
    if (random() % 3 != 0 || count[event.thread] == 2) continue;
    Event custom;
    custom.kind = Kind::User;
    custom.thread = event.thread;
    custom.arg = 0;
    custom.arg2 = ++count[event.thread];
    mixed.push_back(custom);
  }
  return mixed;
}

TraceModel ModelOf(const std::vector<Event>& events) {
  ModelBuilder builder;
  for (const Event& event : events) builder.Add(event);
  return builder.Finish();
}

// Performs the witness; false when a step is not possible.
bool Follows(const TraceModel& model, const Constraints& constraints, const Witness& witness, Cut* end) {
  CutMachine machine(&model, &constraints);
  for (uint32_t thread : witness) {
    if (machine.Ended(thread) || !machine.Enabled(thread)) return false;
    machine.Perform(thread);
  }
  *end = machine.cut();
  return true;
}

std::string WriteProperty(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + "/" + name;
  EXPECT_TRUE(WriteFileAtomic(path, text));
  return path;
}

class PropertyOfRandom : public testing::TestWithParam<RandomShape> {};

TEST_P(PropertyOfRandom, SliceKeepsWhatGetsStuck) {
  for (uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    TraceModel model = ModelOf(WithCustomEvents(RandomTrace(seed, GetParam()).Make(), seed));
    for (bool data : {false, true}) {
      Constraints constraints{.data = data};
      ModelSlice slice = Slice(model, constraints, seed % 2 == 0);
      SearchResult whole = SearchStuck(model, constraints, {});
      SearchResult part = SearchStuck(slice.model, constraints, {});
      EXPECT_EQ(whole.verdict, part.verdict);
      Cut end;
      if (part.verdict == Verdict::kFound) {
        EXPECT_TRUE(Follows(model, constraints, slice.Expand(part.witness), &end));
      }
    }
  }
}

TEST_P(PropertyOfRandom, DeadlockAsAPropertyAgreesWithTheSearch) {
  Property property{WriteProperty("live.csp", "assert LIVE [F= DEADLOCK_CHECK(PROGRAM)\n"), "", {}};
  for (uint64_t seed = 1; seed <= 25 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    TraceModel model = ModelOf(RandomTrace(seed, GetParam()).Make());
    for (bool data : {false, true}) {
      Constraints constraints{.data = data};
      auto outcomes = CheckProperty(model, {}, property, constraints, {}, kShare);
      ASSERT_TRUE(outcomes) << outcomes.error().message;
      // Operations that only wait for data do not count as stuck for the search; with data kept they are all there is.
      if (!data) {
        bool stuck = SearchStuck(model, constraints, {}).verdict == Verdict::kFound;
        EXPECT_EQ((*outcomes)[0].result.verdict == csp::Verdict::kFailed, stuck);
      }
      Cut end;
      if ((*outcomes)[0].result.verdict != csp::Verdict::kFailed) continue;
      ASSERT_TRUE(Follows(model, constraints, (*outcomes)[0].witness, &end));
    }
  }
}

// "The first event of thread 0 comes before that of thread 1", against a search that goes for the other order.
TEST_P(PropertyOfRandom, OrdersOfEventsAgreeWithTheSearch) {
  std::string text =
      "ORDER = mark.0.1 -> ANY [] mark?t:diff(Thread, {0,1})?v -> ORDER\nANY = mark?t?v -> ANY\n"
      "assert ORDER [T= PROGRAM |\\ {mark.t.v | t <- Thread, v <- {1}}\n";
  Property property{WriteProperty("order.csp", text), text, {}};
  std::map<uint64_t, std::string> strings = {{0, "mark(#0)"}};
  uint32_t violated = 0;
  for (uint64_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    TraceModel model = ModelOf(WithCustomEvents(RandomTrace(seed, GetParam()).Make(), seed));
    std::map<uint32_t, uint32_t> first;  // thread to the position of its first event
    for (const CustomEvent& event : model.custom) {
      first.emplace(model.places[event.order].thread, model.places[event.order].position);
    }
    if (!first.contains(0) || !first.contains(1)) continue;
    auto outcomes = CheckProperty(model, strings, property, {}, {}, kShare);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    // Thread 1 has performed its event and thread 0 stands somewhere before its own.
    bool other = false;
    for (uint32_t position = 0; position <= first[0] && !other; ++position) {
      other = SearchTarget(model, {{1, first[1] + 1}, {0, position}}, {}, {}).verdict == Verdict::kFound;
    }
    EXPECT_EQ((*outcomes)[0].result.verdict == csp::Verdict::kFailed, other);
    violated += other ? 1 : 0;
    Cut end;
    if (other) {
      ASSERT_TRUE(Follows(model, {}, (*outcomes)[0].witness, &end));
      EXPECT_GT(end[1], first[1]);
      EXPECT_LE(end[0], first[0]);
    }
  }
  EXPECT_GT(violated, 0U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, PropertyOfRandom,
                         testing::Values(RandomShape{2, 8, 2, 1}, RandomShape{3, 6, 2, 1, true},
                                         RandomShape{3, 6, 2, 1, false, true, true, true}));

TEST(Property, TheRunItselfIsOneOrder) {
  std::string text = "FILE = open?t!7 -> access?t!7 -> FILE\nassert FILE [T= PROGRAM |\\ {| open, access |}\n";
  Property property{WriteProperty("file.csp", text), text, {"close(#0)"}};
  std::map<uint64_t, std::string> strings = {{0, "open(#0)"}, {1, "access(#0)"}};
  auto run = [&](std::vector<uint64_t> names) {
    std::vector<Event> events;
    for (uint64_t name : names) {
      Event event;
      event.kind = Kind::User;
      event.arg = name;
      event.arg2 = 7;
      events.push_back(event);
    }
    Result<bool> violated = RunViolates(ModelOf(events), strings, property, 0, true, kShare);
    EXPECT_TRUE(violated) << violated.error().message;
    return violated && *violated;
  };
  EXPECT_FALSE(run({0, 1, 0}));
  EXPECT_TRUE(run({1}));
  EXPECT_TRUE(run({0, 0}));
}

TEST(Property, WordsOfAText) {
  auto words = WordsOf("channel a, b1 : {0}\nP = lock.0 -> c -- comment\n{- block -} Q' = 1");
  EXPECT_TRUE(words["a"]);
  EXPECT_TRUE(words["b1"]);
  EXPECT_TRUE(words.contains("lock"));
  EXPECT_FALSE(words["lock"]);
  EXPECT_FALSE(words.contains("comment"));
  EXPECT_FALSE(words.contains("block"));
}

}  // namespace
}  // namespace heddle::predict
