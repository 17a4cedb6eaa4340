// Structures of the deadlock analysis against naive twins, and the table of functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/IR/DataLayout.h>

#include <algorithm>
#include <random>
#include <set>

#include "deadlock/input/primitives.h"
#include "deadlock/locksets/state.h"
#include "deadlock/pointers/locations.h"

namespace heddle::deadlock {
namespace {

TEST(Primitives, EveryLineOfTheBuiltInTableIsRead) {
  Primitives primitives(false);
  EXPECT_TRUE(primitives.Add("built-in", kBuiltinTable).ok())
      << primitives.Add("built-in", kBuiltinTable).error().message;
  ASSERT_NE(primitives.Find("pthread_rwlock_rdlock"), nullptr);
  EXPECT_EQ(primitives.Find("pthread_rwlock_rdlock")->mode, Mode::kRead);
  EXPECT_EQ(primitives.Find("apr_thread_create")->param, 1);
  EXPECT_EQ(primitives.Find("no_such_function"), nullptr);
}

TEST(Primitives, SemaphoresAreLocksOnlyWhenAskedFor) {
  EXPECT_EQ(Primitives(false).Find("sem_wait")->action, Action::kNothing);
  EXPECT_EQ(Primitives(true).Find("sem_wait")->action, Action::kSemWait);
}

TEST(Primitives, WrongLinesNameFileLineAndWord) {
  Primitives primitives(false);
  auto message = [&](const char* text) {
    Status status = primitives.Add("t.txt", text);
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_THAT(message("# fine\nmy_lock lok\n"),
              testing::AllOf(testing::HasSubstr("t.txt:2:"), testing::HasSubstr("did you mean `lock`")));
  EXPECT_THAT(message("my_lock"), testing::HasSubstr("needs an action"));
  EXPECT_THAT(message("my_lock lock color=3"), testing::HasSubstr("`color`"));
  EXPECT_THAT(message("my_lock lock lock=99"), testing::HasSubstr("`99`"));
  EXPECT_THAT(message("my_lock lock lock=1x"), testing::HasSubstr("`1x`"));
  EXPECT_EQ(message("my_lock lock lock=2 mode=read  # fine"), "");
  EXPECT_EQ(primitives.Find("my_lock")->lock, 2);
}

// The offsets below `size` that a location stands for.
std::set<int64_t> Offsets(const Loc& loc, int64_t size) {
  std::set<int64_t> all = {loc.offset};
  for (int64_t at = loc.offset; loc.stride != 0 && at < std::min(loc.end, size); at += loc.stride) all.insert(at);
  return all;
}

TEST(Locations, OverlapNeverMissesACommonOffset) {
  llvm::DataLayout layout("");
  std::minstd_rand random(7);
  for (int round = 0; round < 400; ++round) {
    Locations locations(layout);
    Object object;
    object.size = 240;
    ObjectId id = locations.Add(object);
    std::vector<LocId> locs;
    for (int i = 0; i < 6; ++i) {
      LocId loc = locations.At(id, static_cast<int64_t>(random() % 30) * 4);
      if (random() % 2 != 0) loc = locations.Spread(loc, static_cast<int64_t>(1 + random() % 5) * 8, random() % 2 != 0);
      if (random() % 2 != 0) loc = locations.Shift(loc, static_cast<int64_t>(random() % 10) * 4);
      if (loc != kNoLoc) locs.push_back(loc);
    }
    for (LocId a : locs) {
      for (LocId b : locs) {
        std::set<int64_t> x = Offsets(locations.loc(a), 240), y = Offsets(locations.loc(b), 240), both;
        std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::inserter(both, both.begin()));
        if (!both.empty()) {
          EXPECT_TRUE(locations.Overlap(a, b)) << "offset " << *both.begin();
        }
        EXPECT_EQ(locations.Overlap(a, b), locations.Overlap(b, a));
        bool plain = !locations.IsProgression(a) && !locations.IsProgression(b);
        if (plain) {
          EXPECT_EQ(locations.Overlap(a, b), !both.empty());
        }
      }
    }
  }
}

// Naive: which offsets share a cell is the closure of all folds so far.
TEST(Locations, FoldedCellsAreThoseOfTheClosure) {
  llvm::DataLayout layout("");
  std::minstd_rand random(11);
  for (int round = 0; round < 200; ++round) {
    Locations locations(layout);
    Object object;
    object.size = 160;
    ObjectId id = locations.Add(object);
    std::vector<int> group(20);
    for (int i = 0; i < 20; ++i) group[static_cast<size_t>(i)] = i;
    auto ignore = [](Cell*, const Cell&) {};
    for (int fold = 0; fold < 3; ++fold) {
      auto begin = static_cast<int64_t>(random() % 18) * 8;
      auto stride = static_cast<int64_t>(1 + random() % 4) * 8;
      LocId loc = locations.Spread(locations.At(id, begin), stride, true);
      locations.Cells(loc, 8, ignore);
      for (int64_t a = begin; a < 160; a += 8) {
        for (int64_t b = a + stride; b < 160; b += stride) {
          int from = group[static_cast<size_t>(b / 8)], to = group[static_cast<size_t>(a / 8)];
          for (int& g : group) g = g == from ? to : g;
        }
      }
    }
    for (int64_t a = 0; a < 20; ++a) {
      for (int64_t b = 0; b < 20; ++b) {
        bool same =
            locations.Cells(locations.At(id, a * 8), 8, ignore) == locations.Cells(locations.At(id, b * 8), 8, ignore);
        if (group[static_cast<size_t>(a)] == group[static_cast<size_t>(b)]) {
          EXPECT_TRUE(same) << a << " " << b;
        }
      }
    }
  }
}

State RandomState(std::minstd_rand* random) {
  State state;
  for (unsigned i = (*random)() % 4; i > 0; --i) {
    MayLock lock;
    lock.loc = (*random)() % 4;
    lock.mode = (*random)() % 3 == 0 ? Mode::kRead : Mode::kWrite;
    lock.depth = static_cast<uint8_t>(1 + (*random)() % 2);
    AddHeld(&state, lock);
    if ((*random)() % 2 != 0) AddMust(&state, {lock.loc, lock.mode});
  }
  for (unsigned i = (*random)() % 3; i > 0; --i)
    AddLive(&state, {static_cast<OriginId>((*random)() % 3), (*random)() % 2 != 0, nullptr});
  state.most = static_cast<uint8_t>((*random)() % 5);
  return state;
}

TEST(StateTable, JoinIsUnionOfMayAndIntersectionOfMust) {
  std::minstd_rand random(3);
  StateTable table;
  for (int round = 0; round < 2000; ++round) {
    State x = RandomState(&random), y = RandomState(&random);
    StateId a = table.Intern(x), b = table.Intern(y);
    EXPECT_EQ(table.Intern(x), a);
    StateId joined = table.Join(a, b);
    EXPECT_EQ(table.Join(b, a), joined);
    EXPECT_EQ(table.Join(joined, a), joined);
    const State& both = table[joined];
    std::set<MayLock> held(x.held.begin(), x.held.end());
    held.insert(y.held.begin(), y.held.end());
    EXPECT_THAT(both.held, testing::ElementsAreArray(held));
    for (const MustLock& must : both.must) {
      EXPECT_THAT(x.must, testing::Contains(must));
      EXPECT_THAT(y.must, testing::Contains(must));
    }
    for (const MustLock& must : x.must) {
      if (std::find(y.must.begin(), y.must.end(), must) != y.must.end()) {
        EXPECT_THAT(both.must, testing::Contains(must));
      }
    }
    EXPECT_EQ(both.most, std::max(x.most, y.most));
    std::set<OriginId> live, wanted;
    for (const LiveThread& thread : both.live) live.insert(thread.origin);
    for (const State* state : {&x, &y}) {
      for (const LiveThread& thread : state->live) wanted.insert(thread.origin);
    }
    EXPECT_EQ(live, wanted);
  }
}

}  // namespace
}  // namespace heddle::deadlock
