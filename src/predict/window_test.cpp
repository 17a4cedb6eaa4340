// Windows of random traces: what they find is in some reordering of the whole, and one window is the whole.
#include "predict/window.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "predict/naive_reorder.h"
#include "predict/random_trace.h"

namespace heddle::predict {
namespace {

using trace::Event;

class ListSource : public trace::EventSource {
 public:
  explicit ListSource(const std::vector<Event>& events) : events_(events) {}
  bool Next(Event* event) override {
    if (at_ == events_.size()) return false;
    *event = events_[at_++];
    return true;
  }
  const trace::TraceInfo& info() const override { return info_; }
  const trace::StackTable& stacks() const override { return stacks_; }
  const Status& status() const override { return status_; }

 private:
  const std::vector<Event>& events_;
  size_t at_ = 0;
  trace::TraceInfo info_;
  trace::StackTable stacks_;
  Status status_;
};

// The run's own order up to event number `end`, then the window's witness without what it carries.
Witness Whole(const std::vector<Event>& events, uint64_t end, const ModelledTrace& window, const Witness& witness) {
  Witness whole;
  for (uint64_t i = 0; i < end; ++i) {
    if (IsOperation(events[i])) whole.push_back(events[i].thread);
  }
  std::vector<uint32_t> carried = window.carried;
  carried.resize(window.model.threads.size());
  for (uint32_t thread : witness) {
    if (carried[thread] > 0) {
      --carried[thread];
    } else {
      whole.push_back(thread);
    }
  }
  return whole;
}

class Windows : public testing::TestWithParam<RandomShape> {};

TEST_P(Windows, WitnessesAreReorderingsOfTheWhole) {
  uint32_t found = 0;
  for (uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::vector<Event> events = RandomTrace(seed, GetParam()).Make();
    NaiveReorder naive(events);
    ListSource source(events);
    WindowReader reader(&source, 3 + seed % 9);
    ModelledTrace window;
    uint64_t before = 0;
    while (reader.Next(&window)) {
      RaceOutcome outcome = RaceSearch(&window.model, &window.log, &window.locksets, {}).Run();
      for (const PredictedRace& race : outcome.races) {
        NaiveReorder::State end;
        // Data of earlier windows was read in the run's order: it is kept in any case.
        bool keep_data = race.engine != Engine::kSearchDataFree;
        ASSERT_TRUE(naive.Runs(Whole(events, before, window, race.witness), keep_data, false, &end));
        ++found;
      }
      before += window.events;
    }
    EXPECT_EQ(before, events.size());
  }
  EXPECT_GT(found, 10U);
}

TEST_P(Windows, OneWindowIsTheWhole) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    std::vector<Event> events = RandomTrace(seed, GetParam()).Make();
    ListSource first(events);
    ListSource second(events);
    ModelledTrace whole = ModelTrace(&first);
    ModelledTrace window;
    WindowReader reader(&second, events.size() + 1);
    ASSERT_TRUE(reader.Next(&window));
    EXPECT_EQ(whole.model.needs.size(), window.model.needs.size());
    EXPECT_EQ(whole.model.places, window.model.places);
    EXPECT_FALSE(reader.Next(&window));
  }
}

// A trace whose reading is cut by the deadline is the model of its first events.
TEST(CutTrace, IsAPrefix) {
  std::vector<Event> events;
  for (uint64_t seed = 1; events.size() < 20'000; ++seed) {
    for (Event event : RandomTrace(seed, {2, 8, 2, 2}).Make()) {
      event.sequence = events.size() + 1;
      events.push_back(event);
    }
  }
  ListSource late(events);
  ModelledTrace cut = ModelTrace(&late, Deadline::After(0));
  EXPECT_TRUE(cut.cut);
  ASSERT_GT(cut.events, 0U);
  ASSERT_LT(cut.events, events.size());
  std::vector<Event> read(events.begin(), events.begin() + static_cast<ptrdiff_t>(cut.events));
  ListSource first(read);
  ModelledTrace prefix = ModelTrace(&first);
  EXPECT_FALSE(prefix.cut);
  EXPECT_EQ(cut.model.places, prefix.model.places);
  EXPECT_EQ(cut.model.needs.size(), prefix.model.needs.size());
}

INSTANTIATE_TEST_SUITE_P(Shapes, Windows,
                         testing::Values(RandomShape{2, 8, 2, 2}, RandomShape{3, 6, 2, 2, true},
                                         RandomShape{3, 6, 2, 2, false, true, true},
                                         RandomShape{3, 6, 2, 2, true, true, true, true, true}));

}  // namespace
}  // namespace heddle::predict
