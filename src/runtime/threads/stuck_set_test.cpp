#include "runtime/threads/stuck_set.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heddle::rt {
namespace {

// A thread that waits goes on when somebody whom it waits for does.
struct Waiting {
  uint32_t slot = 0;
  bool waits = false;
  uint32_t for_whom = 0;  // a set; empty: nobody is left who could let it go on
};
using Threads = std::vector<Waiting>;

bool Stays(const Waiting& thread, uint32_t set) { return thread.waits && (thread.for_whom & ~set) == 0; }

uint32_t Fast(Threads& threads) {
  uint32_t set = 0;
  for (const Waiting& thread : threads) set |= thread.waits ? 1U << thread.slot : 0;
  int rounds = 0;
  KeepStuck(
      [&](auto each) {
        for (Waiting& thread : threads) each(&thread);
      },
      [&](const Waiting* thread) { return (set >> thread->slot & 1U) != 0; },
      [&](const Waiting* thread) { set &= ~(1U << thread->slot); },
      [&](const Waiting* thread) { return Stays(*thread, set); }, [&] { ++rounds; });
  EXPECT_LE(rounds, static_cast<int>(threads.size()) + 1);
  return set;
}

// By definition: the union of all sets whose members all stay.
uint32_t Naive(const Threads& threads) {
  uint32_t all = 0;
  for (uint32_t set = 0; set < 1U << threads.size(); ++set) {
    bool closed = true;
    for (const Waiting& thread : threads) {
      if ((set >> thread.slot & 1U) != 0) closed = closed && Stays(thread, set);
    }
    if (closed) all |= set;
  }
  return all;
}

TEST(StuckSetTest, ACycleIsStuckAndWhoWaitsForItToo) {
  Threads threads = {{0, true, 2}, {1, true, 1}, {2, true, 1}, {3, false, 0}, {4, true, 8}};
  EXPECT_EQ(Fast(threads), 0b00111U);
}

TEST(StuckSetTest, AHolderThatHasEndedLetsNobodyGoOn) {
  Threads threads = {{0, true, 0}};
  EXPECT_EQ(Fast(threads), 1U);
}

TEST(StuckSetTest, SameAsTheDefinitionOnRandomWaits) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    Threads threads(1 + random() % 7);
    for (uint32_t slot = 0; slot < threads.size(); ++slot) {
      threads[slot] = {slot, random() % 4 != 0,
                       static_cast<uint32_t>(random() & random() & ((1U << threads.size()) - 1))};
    }
    ASSERT_EQ(Fast(threads), Naive(threads)) << i;
  }
}

}  // namespace
}  // namespace heddle::rt
