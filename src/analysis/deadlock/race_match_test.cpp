#include "analysis/deadlock/race_match.h"

#include <gtest/gtest.h>

namespace heddle::analysis {
namespace {

using findings::Memory;

findings::Step Access(uint32_t site, const std::string& file, uint32_t line, const std::string& name) {
  findings::Step step;
  step.site = site;
  step.operand = name;
  Frame frame;
  frame.file = file;
  frame.line = line;
  step.stack.push_back(frame);
  return step;
}

findings::Finding Race(Memory::Where where, const std::string& name, uint32_t one, uint32_t two,
                       const std::string& folder = "/a/") {
  findings::Finding race;
  race.steps = {Access(1, folder + "stats.c", one, name), Access(2, folder + "stats.c", two, name)};
  race.memory.where = where;
  race.memory.name = where == Memory::Where::kGlobal ? name : "";
  return race;
}

TEST(SameRace, TheSameLinesInAnyOrderAndFolder) {
  EXPECT_TRUE(SameRace(Race(Memory::Where::kGlobal, "x", 3, 7), Race(Memory::Where::kGlobal, "x", 7, 3, "/b/")));
  EXPECT_TRUE(SameRace(Race(Memory::Where::kHeap, "p->x", 3, 7), Race(Memory::Where::kHeap, "", 3, 7)));
  EXPECT_FALSE(SameRace(Race(Memory::Where::kHeap, "p->x", 3, 7), Race(Memory::Where::kHeap, "", 3, 8)));
}

TEST(SameRace, TwoVariablesOfOneLineAreTwoRaces) {
  EXPECT_FALSE(SameRace(Race(Memory::Where::kGlobal, "x", 3, 7), Race(Memory::Where::kGlobal, "y", 3, 7)));
  EXPECT_FALSE(SameRace(Race(Memory::Where::kGlobal, "x", 3, 7), Race(Memory::Where::kGlobal, "xs", 3, 7)));
  EXPECT_FALSE(SameRace(Race(Memory::Where::kGlobal, "s.a", 3, 7), Race(Memory::Where::kGlobal, "s.b", 3, 7)));
  EXPECT_FALSE(SameRace(Race(Memory::Where::kGlobal, "s.ab", 3, 7), Race(Memory::Where::kGlobal, "s.a", 3, 7)));
  EXPECT_FALSE(SameRace(Race(Memory::Where::kGlobal, "x", 3, 7), Race(Memory::Where::kHeap, "", 3, 7)));
  EXPECT_TRUE(SameRace(Race(Memory::Where::kGlobal, "s", 3, 7), Race(Memory::Where::kGlobal, "s.b", 3, 7)));
  EXPECT_TRUE(SameRace(Race(Memory::Where::kGlobal, "c[*].n", 3, 7), Race(Memory::Where::kGlobal, "c[4].n", 3, 7)));
}

TEST(SameRace, OneLineAndTheVariable) {
  EXPECT_TRUE(SameRace(Race(Memory::Where::kGlobal, "x", 3, 7), Race(Memory::Where::kGlobal, "x", 3, 9)));
  EXPECT_FALSE(SameRace(Race(Memory::Where::kGlobal, "x", 3, 7), Race(Memory::Where::kGlobal, "x", 8, 9)));
}

TEST(SameRace, LinesThatAreNotKnownAreNotEqual) {
  EXPECT_FALSE(SameRace(Race(Memory::Where::kHeap, "p->x", 0, 7), Race(Memory::Where::kHeap, "", 0, 7)));
  EXPECT_TRUE(SameRace(Race(Memory::Where::kGlobal, "x", 3, 7), Race(Memory::Where::kGlobal, "x", 0, 7)));
  // The same access of a variable that optimised code has made its own, in a run and in its replay.
  EXPECT_TRUE(SameRace(Race(Memory::Where::kGlobal, "x.init", 0, 0), Race(Memory::Where::kGlobal, "x.init", 0, 0)));
  EXPECT_FALSE(SameRace(Race(Memory::Where::kGlobal, "x.init", 0, 0), Race(Memory::Where::kGlobal, "y.init", 0, 0)));
  EXPECT_EQ(RaceLines(Race(Memory::Where::kGlobal, "x", 0, 7)), " at stats.c:7");
}

TEST(RaceLines, AreSortedAndShort) {
  EXPECT_EQ(RaceLines(Race(Memory::Where::kGlobal, "x", 7, 3)), " at stats.c:3 and stats.c:7");
}

}  // namespace
}  // namespace heddle::analysis
