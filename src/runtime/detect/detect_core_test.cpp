// The detector's core against a naive one on random runs: full vector clocks for every byte and every thread, release
// sequences as explicit lists. With enough cells both must say the same about every access; with the four that the
// runtime has, what is reported must be a race, and little may be missed.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "runtime/detect/cell.h"
#include "runtime/detect/order.h"

namespace heddle::rt::detect {
namespace {

constexpr uint32_t kThreads = 4;
constexpr uint32_t kBytes = 16;
constexpr uint32_t kLocations = 3;
constexpr uint32_t kMutexes = 2;

using Vector = std::array<uint64_t, kThreads>;

void Join(Vector& into, const Vector& from) {
  for (uint32_t i = 0; i < kThreads; ++i) into[i] = std::max(into[i], from[i]);
}

// One step of a run.
struct Action {
  enum Kind { kAccess, kLoad, kStore, kRmw, kFence, kRelease, kAcquire } kind;
  uint32_t thread;
  uint32_t place;  // first byte, location or mutex
  uint32_t bytes;
  bool write;
  bool atomic;
  bool acquires;
  bool releases;
};

// Every operation gets a number of its own; an access is before a thread's present if the thread's vector holds it.
class Naive {
 public:
  explicit Naive(Standard standard) : standard_(standard) {}

  bool Step(const Action& action) {
    uint32_t t = action.thread;
    ++now_[t][t];
    switch (action.kind) {
      case Action::kAccess:
        return Access(action);
      case Action::kLoad:
        Load(action);
        return false;
      case Action::kStore:
        Store(action);
        return false;
      case Action::kRmw:
        Load(action);
        Update(action);
        return false;
      case Action::kFence:
        if (action.acquires) Join(now_[t], pending_[t]);
        if (action.releases) released_[t] = now_[t];
        return false;
      case Action::kRelease:
        Join(mutexes_[action.place], now_[t]);
        return false;
      case Action::kAcquire:
        Join(now_[t], mutexes_[action.place]);
        return false;
    }
    return false;
  }

 private:
  struct Past {
    uint32_t thread;
    uint64_t when;
    bool write;
    bool atomic;
  };
  // A head of a release sequence that the location's present store belongs to.
  struct Head {
    uint32_t thread;
    Vector clock;
    bool by_fence;
  };

  bool Access(const Action& action) {
    bool race = false;
    for (uint32_t byte = action.place; byte < action.place + action.bytes; ++byte) {
      for (const Past& past : bytes_[byte]) {
        bool conflict = past.thread != action.thread && (past.write || action.write) && !(past.atomic && action.atomic);
        race = race || (conflict && now_[action.thread][past.thread] < past.when);
      }
      bytes_[byte].push_back({action.thread, now_[action.thread][action.thread], action.write, action.atomic});
    }
    return race;
  }

  void Load(const Action& action) {
    for (const Head& head : heads_[action.place]) {
      Join(action.acquires ? now_[action.thread] : pending_[action.thread], head.clock);
    }
  }

  void Store(const Action& action) {
    std::vector<Head> kept;
    for (const Head& head : heads_[action.place]) {
      bool continues = standard_ == Standard::kCxx11 && head.thread == action.thread && !head.by_fence;
      if (continues) kept.push_back(head);
    }
    heads_[action.place] = kept;
    Update(action);
  }

  void Update(const Action& action) {
    if (action.releases) {
      heads_[action.place].push_back({action.thread, now_[action.thread], false});
    } else if (released_[action.thread]) {
      heads_[action.place].push_back({action.thread, *released_[action.thread], true});
    }
  }

  Standard standard_;
  std::array<Vector, kThreads> now_{};
  std::array<Vector, kThreads> pending_{};
  std::array<std::optional<Vector>, kThreads> released_;
  std::array<Vector, kMutexes> mutexes_{};
  std::array<std::vector<Head>, kLocations> heads_;
  std::array<std::vector<Past>, kBytes> bytes_;
};

template <uint32_t kCells>
class Optimised {
 public:
  explicit Optimised(Standard standard) : standard_(standard) {
    for (uint32_t t = 0; t < kThreads; ++t) threads_[t].Begin(t, 1);
  }
  ~Optimised() {
    for (ThreadOrder& thread : threads_) thread.Clear();
    for (SyncOrder& object : locations_) object.Clear();
    for (SyncOrder& object : mutexes_) object.Clear();
  }
  Optimised(const Optimised&) = delete;
  Optimised& operator=(const Optimised&) = delete;

  bool Step(const Action& action) {
    ThreadOrder& thread = threads_[action.thread];
    switch (action.kind) {
      case Action::kAccess:
        return Access(action, thread);
      case Action::kLoad:
        LoadAtomic(thread, locations_[action.place], action.acquires);
        return false;
      case Action::kStore:
        StoreAtomic(thread, locations_[action.place], action.releases, standard_);
        return false;
      case Action::kRmw:
        LoadAtomic(thread, locations_[action.place], action.acquires);
        UpdateAtomic(thread, locations_[action.place], action.releases, standard_);
        return false;
      case Action::kFence:
        Fence(thread, action.acquires, action.releases);
        return false;
      case Action::kRelease:
        Release(thread, mutexes_[action.place]);
        return false;
      case Action::kAcquire:
        Acquire(thread, mutexes_[action.place]);
        return false;
    }
    return false;
  }

 private:
  bool Access(const Action& action, ThreadOrder& thread) {
    bool race = false;
    Cell mine = thread.Segment() | (action.atomic ? kAtomicBit : 0);
    for (uint32_t word = 0; word < kBytes / 8; ++word) {
      Cell mask = 0;
      for (uint32_t i = 0; i < 8; ++i) {
        uint32_t byte = word * 8 + i;
        if (byte >= action.place && byte < action.place + action.bytes) mask |= Cell{1} << i;
      }
      if (mask == 0) continue;
      auto clock = [&thread](uint32_t slot) { return thread.now.Get(slot); };
      Cell bits = AccessBits(mask, action.write);
      Cell* cells = cells_[word].data();
      if (action.atomic && RefreshAtomic<kCells>(cells, 1, mine, bits, [] {})) continue;
      Cell first = LockWord(cells);
      Cell only = OnlyCell(first, mine, bits, clock);
      if (only != 0) {
        StoreCell(cells, only);
      } else if (IsOwnAgain(first, LoadCell(&cells[1]), mine, bits)) {
        StoreCell(cells, mine | bits);
      } else {
        race = UpdateWord<kCells>(cells, 1, first, mine, bits, clock, ++victim_) != 0 || race;
      }
    }
    return race;
  }

  Standard standard_;
  uint32_t victim_ = 0;
  std::array<ThreadOrder, kThreads> threads_;
  std::array<SyncOrder, kLocations> locations_;
  std::array<SyncOrder, kMutexes> mutexes_;
  std::array<std::array<Cell, kCells>, kBytes / 8> cells_{};
};

Action RandomAction(std::mt19937& random) {
  auto below = [&random](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  Action action{};
  action.thread = below(kThreads);
  action.acquires = below(2) == 0;
  action.releases = below(2) == 0;
  uint32_t kind = below(20);
  if (kind < 10) {
    action.kind = Action::kAccess;
    action.bytes = 1U << below(4);
    action.place = below(kBytes - action.bytes + 1);
    action.write = below(2) == 0;
    action.atomic = below(3) == 0;
    return action;
  }
  if (kind < 16) {
    constexpr std::array kKinds = {Action::kLoad, Action::kStore, Action::kRmw};
    action.kind = kKinds[kind % 3];
    action.place = below(kLocations);
    return action;
  }
  action.kind = kind == 16 ? Action::kFence : kind % 2 == 0 ? Action::kAcquire : Action::kRelease;
  action.place = below(kMutexes);
  return action;
}

class CoreTest : public testing::TestWithParam<Standard> {};

TEST_P(CoreTest, EnoughCellsAgreeWithFullClocks) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    Naive naive(GetParam());
    Optimised<64> optimised(GetParam());
    for (int step = 0; step < 120; ++step) {
      Action action = RandomAction(random);
      bool race = naive.Step(action);
      ASSERT_EQ(optimised.Step(action), race) << "seed " << seed << " step " << step;
    }
  }
}

TEST_P(CoreTest, FourCellsReportOnlyRacesAndMissFew) {
  uint64_t races = 0;
  uint64_t found = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    Naive naive(GetParam());
    Optimised<kCellsPerWord> optimised(GetParam());
    for (int step = 0; step < 60; ++step) {
      Action action = RandomAction(random);
      bool race = naive.Step(action);
      bool reported = optimised.Step(action);
      ASSERT_TRUE(race || !reported) << "seed " << seed << " step " << step;
      races += race ? 1 : 0;
      found += reported ? 1 : 0;
    }
  }
  EXPECT_GT(races, 1000U);
  EXPECT_GT(static_cast<double>(found), 0.85 * static_cast<double>(races));
}

INSTANTIATE_TEST_SUITE_P(Standards, CoreTest, testing::Values(Standard::kCxx20, Standard::kCxx11));

// Two threads write a word at the same moment: the one that comes second must see the first.
TEST(CoreTest, NoneOfTwoSimultaneousWritesIsMissed) {
  constexpr uint32_t kRounds = 20000;
  std::vector<std::array<Cell, kCellsPerWord>> words(kRounds);
  std::vector<std::array<bool, 2>> raced(kRounds);
  std::array<std::atomic<uint32_t>, 2> reached{};
  auto work = [&](uint32_t me) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      reached[me].store(round + 1);
      while (reached[1 - me].load() < round + 1) std::this_thread::yield();
      raced[round][me] = UpdateWord<kCellsPerWord>(
                             words[round].data(), 1, LockWord(words[round].data()), SegmentOf(me, 1),
                             AccessBits(0x0F, true), [](uint32_t) { return uint64_t{0}; }, 0) != 0;
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (uint32_t round = 0; round < kRounds; ++round) EXPECT_NE(raced[round][0], raced[round][1]) << round;
}

// The same for an atomic access that only renews its cell: the other's plain write must see it, or be seen. The old
// epoch is known to the other thread, the new one is not.
TEST(CoreTest, NoneOfARenewedAtomicAndAWriteIsMissed) {
  constexpr uint32_t kRounds = 5000;
  constexpr uint64_t kKnown = 5;
  Cell bits = AccessBits(0x0F, true);
  std::vector<std::array<Cell, kCellsPerWord>> words(kRounds);
  for (auto& word : words) {
    word[0] = SegmentOf(2, 1) | kAtomicBit | bits;
    word[1] = SegmentOf(0, kKnown) | kAtomicBit | bits | kLastBit;
  }
  std::vector<std::array<bool, 2>> raced(kRounds);
  std::array<std::atomic<uint32_t>, 2> reached{};
  auto meet = [&](uint32_t me, uint32_t round) {
    reached[me].store(round + 1);
    while (reached[1 - me].load() < round + 1) std::this_thread::yield();
  };
  auto enter = [&](uint32_t round, Cell mine, uint64_t known) {
    Cell* cells = words[round].data();
    auto clock = [known](uint32_t slot) { return slot == 1 ? 0 : slot == 2 ? 1 : known; };
    return UpdateWord<kCellsPerWord>(cells, 1, LockWord(cells), mine, bits, clock, 0) != 0;
  };
  std::thread other([&] {
    for (uint32_t round = 0; round < kRounds; ++round) {
      meet(1, round);
      raced[round][1] = enter(round, SegmentOf(1, 1), kKnown);
    }
  });
  for (uint32_t round = 0; round < kRounds; ++round) {
    Cell mine = SegmentOf(0, kKnown + 1) | kAtomicBit;
    meet(0, round);
    bool renewed = RefreshAtomic<kCellsPerWord>(words[round].data(), 1, mine, bits, [] {});
    raced[round][0] = !renewed && enter(round, mine, kKnown + 1);
  }
  other.join();
  for (uint32_t round = 0; round < kRounds; ++round) EXPECT_TRUE(raced[round][0] || raced[round][1]) << round;
}

TEST(CoreTest, AWordWhoseHolderIsGoneIsTakenOver) {
  std::array<Cell, kCellsPerWord> word = {kLockedCell};
  auto nothing = [](uint32_t) { return uint64_t{0}; };
  Cell bits = AccessBits(0x0F, true);
  EXPECT_EQ(UpdateWord<kCellsPerWord>(word.data(), 1, LockWord(word.data()), SegmentOf(1, 1), bits, nothing, 0), 0U);
  EXPECT_NE(UpdateWord<kCellsPerWord>(word.data(), 1, LockWord(word.data()), SegmentOf(2, 1), bits, nothing, 0), 0U);
}

// Races by chance: four threads and no order between most of them. A run without any race must stay silent.
// However many threads use the other bytes of the word: cells are given up, the guard is not.
TEST(CoreTest, AGuardIsNeverForgotten) {
  std::array<Cell, kCellsPerWord> word{GuardCell(0xC0)};
  auto nothing = [](uint32_t) { return uint64_t{0}; };
  auto enter = [&](uint32_t slot, Cell mask, bool write) {
    return UpdateWord<kCellsPerWord>(word.data(), 1, LockWord(word.data()), SegmentOf(slot, 1), AccessBits(mask, write),
                                     nothing, slot);
  };
  for (uint32_t slot = 1; slot < 20; ++slot) EXPECT_EQ(enter(slot, 0x3F, false), 0U);
  EXPECT_TRUE(IsGuardCell(enter(20, 0x40, false)));
  EXPECT_TRUE(IsGuardCell(enter(21, 0xFF, true)));
  EXPECT_FALSE(IsGuardCell(FreedCell(SegmentOf(3, 1))));
}

TEST(CoreTest, OrderedByOneMutexIsSilent) {
  std::mt19937 random(7);
  Optimised<kCellsPerWord> optimised(Standard::kCxx20);
  for (int step = 0; step < 20000; ++step) {
    Action access = RandomAction(random);
    access.kind = Action::kAccess;
    access.bytes = 4;
    access.place = static_cast<uint32_t>(random() % (kBytes - 4));
    Action lock{Action::kAcquire, access.thread, 0, 0, false, false, false, false};
    optimised.Step(lock);
    ASSERT_FALSE(optimised.Step(access)) << step;
    lock.kind = Action::kRelease;
    optimised.Step(lock);
  }
}

}  // namespace
}  // namespace heddle::rt::detect
