#include "sched/guided.h"

#include <gtest/gtest.h>

#include "sched/model_program.h"

namespace heddle::sched {
namespace {

// Names are slots here.
std::vector<uint32_t> OrderOf(const std::vector<wire::Switch>& switches, size_t steps = 3) {
  class NamedGuided final : public Strategy {
   public:
    explicit NamedGuided(const std::vector<wire::Switch>& list) : inner_(list.data(), list.size()) {}
    void Begins(uint32_t slot) override {
      inner_.Begins(slot);
      inner_.Named(slot, static_cast<int32_t>(slot));
    }
    void Performed(uint32_t slot, const NextOp& op) override { inner_.Performed(slot, op); }
    uint32_t Pick(const View& view) override { return inner_.Pick(view); }

   private:
    Guided inner_;
  } strategy(switches);
  ModelProgram program;
  program.threads.assign(3, std::vector<ModelOp>(steps));
  return program.Run(strategy).order;
}

TEST(Guided, StaysWithAThreadUntilItEnds) {
  EXPECT_EQ(OrderOf({}), (std::vector<uint32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST(Guided, SwitchesWhereItIsTold) {
  EXPECT_EQ(OrderOf({{0, 2, 1}, {2, 0, 2}}), (std::vector<uint32_t>{0, 2, 2, 0, 0, 1, 1, 1, 2}));
}

TEST(Guided, ASwitchToAThreadThatCannotGoIsPassedOver) {
  EXPECT_EQ(OrderOf({{1, 0, 1}}), (std::vector<uint32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

// It may wait for the others in a loop.
TEST(Guided, AThreadWithoutAnEndGivesWay) {
  std::vector<uint32_t> order = OrderOf({}, 2 * Guided::kMostInARow);
  EXPECT_EQ(order[Guided::kMostInARow - 1], 0U);
  EXPECT_EQ(order[Guided::kMostInARow], 1U);
  EXPECT_EQ(order[2 * size_t{Guided::kMostInARow}], 2U);
  EXPECT_EQ(order[3 * size_t{Guided::kMostInARow}], 0U);
}

TEST(Guided, WithSwitchesAThreadGoesOnUntilItIsTold) {
  constexpr uint32_t kSteps = 2 * Guided::kMostInARow;
  std::vector<uint32_t> order = OrderOf({{0, 2, kSteps - 1}}, kSteps);
  EXPECT_EQ(order[kSteps - 2], 0U);
  EXPECT_EQ(order[kSteps - 1], 2U);
}

}  // namespace
}  // namespace heddle::sched
