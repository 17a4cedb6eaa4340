// The pruned search against exhaustive search: no race, no final state and no deadlock is lost.
#include "explore/pruned_search.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "explore/model_program.h"

namespace heddle::explore {
namespace {

using I = Instruction;
using wire::AccessKind;
using wire::PlainAccess;
using wire::Role;

// Accesses that race, by hand: everything that a sequence of program order and unlock-lock pairs reaches is ordered.
// A race is named by its threads, its place in each of them and its cell.
using Race = std::array<uint64_t, 5>;

struct Node {
  bool is_event;
  size_t index;
  uint16_t thread;
};

std::vector<Node> NodesOf(const Execution& execution) {
  std::vector<Node> nodes;
  size_t access = 0;
  for (size_t i = 0; i <= execution.events.size(); ++i) {
    for (; access < execution.accesses.size() && execution.accesses[access].after <= i; ++access) {
      nodes.push_back({false, access, execution.accesses[access].thread});
    }
    if (i < execution.events.size()) nodes.push_back({true, i, execution.events[i].thread});
  }
  return nodes;
}

bool GivesLock(const ExploredEvent& event, uint64_t lock) {
  return (event.role == Role::kUnlock && event.object == lock) ||
         (event.role == Role::kSleepBegins && event.second == lock);
}

bool Synchronises(const ExploredEvent& from, const ExploredEvent& to) {
  if (to.role == Role::kLock) return GivesLock(from, to.object);
  if (to.role == Role::kWake && GivesLock(from, to.second)) return true;
  return from.role == Role::kPost && to.role == Role::kSemTake && from.object == to.object;
}

void AddRaces(const Execution& execution, std::set<Race>* races) {
  std::vector<Node> nodes = NodesOf(execution);
  std::vector<std::vector<bool>> before(nodes.size(), std::vector<bool>(nodes.size()));
  std::vector<uint64_t> place(nodes.size());
  std::map<uint8_t, uint64_t> count;
  for (size_t j = 0; j < nodes.size(); ++j) {
    place[j] = count[nodes[j].thread]++;
    for (size_t i = 0; i < j; ++i) {
      bool both = nodes[i].is_event && nodes[j].is_event;
      bool edge = nodes[i].thread == nodes[j].thread ||
                  (both && Synchronises(execution.events[nodes[i].index], execution.events[nodes[j].index]));
      if (!edge) continue;
      before[i][j] = true;
      for (size_t k = 0; k < i; ++k) before[k][j] = before[k][j] || before[k][i];
    }
    for (size_t i = 0; i < j && !nodes[j].is_event; ++i) {
      if (nodes[i].is_event || before[i][j]) continue;
      const PlainAccess& a = execution.accesses[nodes[i].index];
      const PlainAccess& b = execution.accesses[nodes[j].index];
      if (a.address != b.address || (a.kind == AccessKind::kRead && b.kind == AccessKind::kRead)) continue;
      Race race{a.thread, place[i], b.thread, place[j], a.address};
      if (a.thread > b.thread) race = {b.thread, place[j], a.thread, place[i], a.address};
      races->insert(race);
    }
  }
}

struct Outcome {
  std::set<std::string> states;
  std::set<Race> races;
  uint64_t executions = 0;
  bool complete = false;
};

Outcome Explore(const ModelProgram& program, Algorithm algorithm, bool prune, uint64_t limit = 100000) {
  std::unique_ptr<Search> search = MakeSearch({algorithm, {}, {}, prune});
  Outcome outcome;
  Request request;
  while (outcome.executions < limit) {
    if (!search->Next(&request)) {
      outcome.complete = true;
      break;
    }
    std::string state;
    Execution execution = program.Run(request, &state);
    EXPECT_NE(execution.end, End::kDiverged);
    EXPECT_NE(execution.end, End::kAsleep);
    outcome.states.insert(state);
    AddRaces(execution, &outcome.races);
    ++outcome.executions;
    EXPECT_TRUE(search->Executed(execution));
  }
  return outcome;
}

std::vector<Instruction> Section(uint32_t lock, std::vector<Instruction> body) {
  body.insert(body.begin(), {I::kLock, lock});
  body.push_back({I::kUnlock, lock});
  return body;
}

void Append(std::vector<Instruction>& thread, const std::vector<Instruction>& more) {
  thread.insert(thread.end(), more.begin(), more.end());
}

// Two threads that add up what they have, seven times each: 14 over 7 orders of the sections, all the same.
TEST(Pruning, DownloaderNeedsOneExecution) {
  ModelProgram program;
  for (uint32_t t = 0; t < 2; ++t) {
    std::vector<Instruction> thread;
    for (int i = 0; i < 7; ++i) Append(thread, Section(0, {{I::kPlainAdd, 0, 1 + t}}));
    program.threads.push_back(thread);
  }
  EXPECT_EQ(Explore(program, Algorithm::kOptimal, false).executions, 3432U);
  Outcome pruned = Explore(program, Algorithm::kOptimal, true);
  EXPECT_EQ(pruned.executions, 1U);
  EXPECT_TRUE(pruned.races.empty());
}

// The order of sections decides whether there is a race, although no two accesses of the first execution race.
TEST(Pruning, RaceBehindABranchIsFound) {
  ModelProgram program;
  program.threads.push_back(Section(0, {{I::kPlainStore, 0, 1}}));
  Append(program.threads[0], {{I::kPlainStore, 1, 1}});
  program.threads.push_back(Section(0, {{I::kPlainLoad, 0}}));
  Append(program.threads[1], {{I::kSkipIf, 0, 1, 1}, {I::kPlainStore, 1, 2}});
  Outcome all = Explore(program, Algorithm::kDfs, false);
  EXPECT_EQ(all.races.size(), 1U);
  EXPECT_EQ(Explore(program, Algorithm::kOptimal, true).races, all.races);
}

// In the first execution the accesses to cell 1 are ordered, by a lock whose sections commute.
TEST(Pruning, RaceHiddenByTheOrderOfSectionsIsFound) {
  ModelProgram program;
  program.threads.push_back({{I::kPlainStore, 1, 1}});
  Append(program.threads[0], Section(0, {{I::kPlainAdd, 0, 1}}));
  program.threads.push_back(Section(0, {{I::kPlainAdd, 0, 1}}));
  Append(program.threads[1], {{I::kPlainStore, 1, 2}});
  Outcome all = Explore(program, Algorithm::kDfs, false);
  EXPECT_EQ(all.races.size(), 1U);
  EXPECT_EQ(Explore(program, Algorithm::kOptimal, true).races, all.races);
}

std::vector<Instruction> RandomBody(std::mt19937& random, uint32_t lock) {
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  // Mostly the cells that belong to the lock.
  uint32_t cell = below(12) == 0 ? below(6) : 2 * lock + below(2);
  switch (below(6)) {
    case 0:
      return {{I::kPlainLoad, cell}};
    case 1:
      return {{I::kPlainStore, cell, 1 + below(2)}};
    case 2:
      return {
          {I::kPlainLoad, cell}, {I::kSkipIf, 0, below(2), 1}, {I::kPlainStore, below(2) == 0 ? cell : below(6), 2}};
    default:
      return {{I::kPlainAdd, cell, 1 + below(2)}};
  }
}

std::vector<Instruction> RandomPart(std::mt19937& random) {
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  uint32_t lock = below(3);
  switch (below(12)) {
    case 0:
      return {{I::kLoad, 0},
              {I::kSkipIf, 0, below(2), 3},
              {I::kLock, lock},
              {I::kPlainAdd, 2 * lock, 1},
              {I::kUnlock, lock}};
    case 1:
      return {{I::kStore, 0, 1}};
    case 2:
      return Section(lock, Section((lock + 1) % 3, RandomBody(random, lock)));
    case 3:
      return {{I::kTryLock, lock}, {I::kSkipIf, 0, 0, 2}, {I::kPlainAdd, 2 * lock, 1}, {I::kUnlock, lock}};
    case 4:
      return below(4) == 0 ? RandomBody(random, below(3)) : Section(lock, RandomBody(random, lock));
    case 5:
      return {{I::kSkipIf, 0, below(2), 1}, {I::kPlainStore, 6 + below(2), 1}};
    case 6:
      return below(2) == 0 ? std::vector<Instruction>{{I::kPost, 0}} : std::vector<Instruction>{{I::kTake, 0}};
    default:
      return Section(lock, RandomBody(random, lock));
  }
}

TEST(Pruning, RandomProgramsLoseNothing) {
  uint64_t compared = 0;
  uint64_t racy = 0;
  uint64_t executions = 0;
  uint64_t pruned_executions = 0;
  for (uint32_t seed = 0; seed < 800; ++seed) {
    std::mt19937 random(seed);
    ModelProgram program;
    size_t threads = 2 + random() % 2;
    for (size_t i = 0; i < threads; ++i) {
      std::vector<Instruction> thread;
      for (size_t part = 0; part < (threads == 2 ? 3U : 2U); ++part) Append(thread, RandomPart(random));
      program.threads.push_back(thread);
    }
    Outcome all = Explore(program, Algorithm::kDfs, false, 1500);
    if (!all.complete) continue;
    Outcome optimal = Explore(program, Algorithm::kOptimal, false);
    Outcome pruned = Explore(program, Algorithm::kOptimal, true);
    ASSERT_EQ(pruned.races, optimal.races) << "seed " << seed;
    ASSERT_EQ(pruned.states, optimal.states) << "seed " << seed;
    // What racing accesses read depends on more than the order of visible operations.
    ASSERT_EQ(pruned.races.empty(), all.races.empty()) << "seed " << seed;
    if (all.races.empty()) {
      ASSERT_EQ(pruned.states, all.states) << "seed " << seed;
    }
    ++compared;
    racy += all.races.empty() ? 0 : 1;
    executions += optimal.executions;
    pruned_executions += pruned.executions;
  }
  // The comparison is worth something: many programs, with and without races, and much is pruned.
  EXPECT_GT(compared, 500U);
  EXPECT_GT(racy, compared / 20);
  EXPECT_LT(racy, compared * 9 / 10);
  EXPECT_LT(pruned_executions, executions);
}

// Waits at a futex, or with a limit, have no mutex: two of them have nothing in common that would order accesses.
TEST(CommutingLocks, WaitsWithoutAMutexOrderNothing) {
  for (Role role : {Role::kSleepBegins, Role::kWake}) {
    Execution execution;
    execution.accesses_known = true;
    for (uint16_t thread : {0, 1}) {
      ExploredEvent wait;
      wait.thread = thread;
      wait.object = 0x100U + 8U * thread;
      wait.role = role;
      wait.flags = wire::kWrites;
      execution.events.push_back(wait);
    }
    execution.accesses = {{0x900, 4, 0, 0, AccessKind::kWrite}, {0x900, 4, 2, 1, AccessKind::kRead}};
    CommutingLocks locks;
    locks.Learn(execution);
    EXPECT_TRUE(locks.all_matter());
    // With a mutex they do.
    for (ExploredEvent& wait : execution.events) wait.second = 0x200;
    CommutingLocks ordered;
    ordered.Learn(execution);
    EXPECT_FALSE(ordered.all_matter());
  }
}

}  // namespace
}  // namespace heddle::explore
