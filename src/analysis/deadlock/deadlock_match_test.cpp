#include "analysis/deadlock/deadlock_match.h"

#include <gtest/gtest.h>

namespace heddle::analysis {
namespace {

Frame At(uint32_t line, bool inlined = false) {
  Frame frame;
  frame.file = "/src/bank.c";
  frame.line = line;
  frame.inlined = inlined;
  return frame;
}

Frame Library() {
  Frame frame;
  frame.file = "/usr/include/c++/12/mutex";
  frame.line = 100;
  return frame;
}

findings::Step Site(uint32_t site, const char* what, Stack stack, uint32_t row = 1) {
  findings::Step step;
  step.site = site;
  step.row = row;
  step.what = what;
  step.stack = std::move(stack);
  return step;
}

// T1 acquires at 1 and waits at 2, T2 acquires at 3 and waits at 4.
findings::Finding TwoThreads() {
  findings::Finding finding;
  finding.steps = {Site(1, "lock", {At(1)}), Site(2, "lock", {At(2)}), Site(3, "lock", {At(3)}),
                   Site(4, "lock", {At(4)})};
  return finding;
}

StuckThread Waits(uint32_t number, uint64_t lock, uint32_t line, uint64_t holds, uint32_t held_line) {
  return {number, StuckThread::For::kLock, lock, {At(line)}, {{holds, {At(held_line)}}}};
}

TEST(PlanOf, TakesTheLinesOfTheUser) {
  findings::Finding finding;
  finding.steps = {Site(1, "lock", {Library(), At(5, true), At(6), At(7)}), Site(2, "join", {At(8)})};
  Plan plan = PlanOf(finding);
  ASSERT_EQ(plan.edges.size(), 1U);
  EXPECT_EQ(plan.shape, Plan::Shape::kAny);
  EXPECT_EQ(plan.edges[0].held.lines, (Place{{"/src/bank.c", 5}, {"/src/bank.c", 6}}));
  EXPECT_EQ(plan.edges[0].held.chain.size(), 3U);
  EXPECT_FALSE(plan.edges[0].from_start);
}

TEST(PlanOf, AThreadThatEndedLeavesAnEdgeFromTheStart) {
  findings::Finding finding;
  finding.steps = {Site(1, "lock", {At(1)}), Site(2, "end", {At(2)}), Site(3, "lock", {At(3)})};
  Plan plan = PlanOf(finding);
  EXPECT_EQ(plan.shape, Plan::Shape::kLeft);
  ASSERT_EQ(plan.edges.size(), 1U);
  EXPECT_TRUE(plan.edges[0].from_start);
  EXPECT_FALSE(Meets(plan, {{Waits(1, 10, 3, 99, 9)}, {}}));
  EXPECT_TRUE(Meets(plan, {{Waits(1, 10, 3, 99, 9)}, {10}}));
  EXPECT_FALSE(Meets(plan, {{Waits(1, 10, 4, 99, 9)}, {10}}));
}

TEST(Meets, NeedsEveryThreadAtItsPlaces) {
  Plan plan = PlanOf(TwoThreads());
  EXPECT_TRUE(Meets(plan, {{Waits(1, 20, 2, 10, 1), Waits(2, 10, 4, 20, 3)}, {}}));
  EXPECT_TRUE(Meets(plan, {{Waits(7, 10, 4, 20, 3), Waits(9, 20, 2, 10, 1)}, {}}));
  EXPECT_FALSE(Meets(plan, {{Waits(1, 20, 2, 10, 5), Waits(2, 10, 4, 20, 3)}, {}}));  // acquired elsewhere
  EXPECT_FALSE(Meets(plan, {{Waits(1, 20, 6, 10, 1), Waits(2, 10, 4, 20, 3)}, {}}));  // waits elsewhere
  EXPECT_FALSE(Meets(plan, {{Waits(1, 30, 2, 10, 1), Waits(2, 10, 4, 20, 3)}, {}}));  // for another lock
  EXPECT_FALSE(Meets(plan, {{Waits(1, 10, 2, 10, 1)}, {}}));                          // not the whole cycle
  EXPECT_FALSE(Meets(plan, {{}, {}}));
}

TEST(Meets, OneEdgeTakesACycleOfAnyLength) {
  findings::Finding finding;
  finding.steps = {Site(1, "lock", {At(1)}), Site(2, "lock", {At(2)})};
  Plan plan = PlanOf(finding);
  EXPECT_TRUE(Meets(plan, {{Waits(1, 10, 2, 10, 1)}, {}}));
  EXPECT_TRUE(Meets(plan, {{Waits(1, 20, 2, 10, 1), Waits(2, 30, 2, 20, 1), Waits(3, 10, 2, 30, 1)}, {}}));
  EXPECT_FALSE(Meets(plan, {{Waits(1, 20, 2, 10, 1), Waits(2, 30, 2, 20, 1)}, {}}));
}

TEST(Meets, AJoinWaitsForTheThread) {
  findings::Finding finding;
  finding.steps = {Site(1, "lock", {At(1)}), Site(2, "join", {At(2)}), Site(3, "start", {At(3)}),
                   Site(4, "lock", {At(4)})};
  Plan plan = PlanOf(finding);
  StuckThread joiner{0, StuckThread::For::kThread, 5, {At(2)}, {{10, {At(1)}}}};
  EXPECT_TRUE(Meets(plan, {{joiner, {5, StuckThread::For::kLock, 10, {At(4)}, {}}}, {}}));
  EXPECT_FALSE(Meets(plan, {{joiner, {6, StuckThread::For::kLock, 10, {At(4)}, {}}}, {}}));
}

TEST(AtPlace, WrappersMayLieBetween) {
  Place place{{"bank.c", 5}, {"bank.c", 6}};
  EXPECT_TRUE(AtPlace({At(5), At(6)}, place));
  EXPECT_TRUE(AtPlace({Library(), At(90), At(5), Library(), At(6), At(7)}, place));
  EXPECT_FALSE(AtPlace({At(6), At(5)}, place));
  EXPECT_FALSE(AtPlace({At(5)}, place));
  EXPECT_FALSE(AtPlace({At(91), At(92), At(93), At(94), At(5), At(6)}, place));
  EXPECT_FALSE(AtPlace({At(5)}, {}));
}

TEST(CompilePlan, KeepsPlacesInOrderAndCallersWithCode) {
  Plan plan = PlanOf(TwoThreads());
  plan.edges[0].waits.chain.push_back({"/src/bank.c", 50});
  plan.edges[0].waits.chain.push_back({"/src/bank.c", 51});
  std::vector<symbolize::SourceLine> lines = LinesOf(plan);
  std::vector<std::vector<symbolize::Module::Range>> code;
  for (const symbolize::SourceLine& line : lines) {
    code.push_back(line.line == 50 ? std::vector<symbolize::Module::Range>{}
                                   : std::vector<symbolize::Module::Range>{{line.line * 100U, line.line * 100U + 9}});
  }
  EXPECT_TRUE(CanBeReached(plan, code));
  std::string bytes = CompilePlan(plan, code, {true, 75, 5});
  ASSERT_EQ(bytes.size(), sizeof(wire::SteerHeader) + 5 * sizeof(wire::SteerRange));
  const auto* header = reinterpret_cast<const wire::SteerHeader*>(bytes.data());  // NOLINT: as the target reads it
  const auto* ranges = reinterpret_cast<const wire::SteerRange*>(header + 1);     // NOLINT
  EXPECT_EQ(header->edges, 2U);
  EXPECT_EQ(header->from_start, 0U);
  uint64_t stack[] = {205, 5105};
  EXPECT_EQ(wire::PlacesOf(stack, 2, ranges, header->ranges), uint64_t{1} << wire::WaitPlace(0));
  EXPECT_EQ(wire::PlacesOf(stack, 1, ranges, header->ranges), 0U);
  EXPECT_EQ(CompilePlan(plan, code, {false, 75, 5}).size(), bytes.size() - sizeof(wire::SteerRange));
  code[0].clear();
  EXPECT_FALSE(CanBeReached(plan, code));
}

}  // namespace
}  // namespace heddle::analysis
