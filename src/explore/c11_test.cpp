// The search over C11 executions against the axioms: exactly the graphs that RC11 allows, each of them once.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "explore/rc11_axioms.h"
#include "explore/search.h"

namespace heddle::explore {
namespace {

using I = Instruction;
using trace::Order;

struct Found {
  std::set<std::string> graphs;
  uint64_t executions = 0;
  uint64_t asleep = 0;
  uint64_t stuck = 0;  // executions in which threads wait for ever
  std::string gap;
};

Found Explore(const ModelProgram& program, Algorithm algorithm) {
  std::unique_ptr<Search> search = MakeSearch({algorithm, {}});
  Found found;
  Request request;
  while (search->Next(&request)) {
    std::string state;
    Execution execution = program.Run(request, &state);
    EXPECT_NE(execution.end, End::kDiverged);
    EXPECT_TRUE(search->Executed(execution));
    if (execution.end == End::kAsleep) {
      ++found.asleep;
      continue;
    }
    ++found.executions;
    if (execution.end == End::kDeadlock) ++found.stuck;
    // Behind the graph: where the threads are and what the cells hold.
    found.graphs.insert(state.substr(0, state.rfind('\n') + 1));
    if (found.executions > 100000) break;
  }
  found.gap = search->Gap();
  return found;
}

I Load(uint32_t cell, Order order = Order::Relaxed) { return {I::kLoad, cell, 0, 0, order}; }
I Store(uint32_t cell, uint32_t value, Order order = Order::Relaxed) { return {I::kStore, cell, value, 0, order}; }
I Add(uint32_t cell, Order order = Order::Relaxed) { return {I::kAdd, cell, 1, 0, order}; }
I Cas(uint32_t cell, uint32_t from, uint32_t to, Order order = Order::Relaxed) {
  return {I::kCas, cell, from, to, order, order == Order::SeqCst ? Order::SeqCst : Order::Relaxed};
}
I Fence(Order order = Order::SeqCst) { return {I::kFence, 0, 0, 0, order}; }

uint64_t abandoned = 0;  // by the last Count

uint64_t Count(std::vector<std::vector<I>> threads) {
  ModelProgram program;
  program.threads = std::move(threads);
  program.c11 = true;
  Found found = Explore(program, Algorithm::kSource);
  EXPECT_EQ(found.graphs, AllGraphs(program));
  EXPECT_EQ(found.executions, found.graphs.size());
  abandoned = found.asleep;
  EXPECT_EQ(Explore(program, Algorithm::kDfs).graphs, found.graphs);
  return found.executions;
}

TEST(C11, StoreBuffering) {
  EXPECT_EQ(Count({{Store(0, 1), Load(1)}, {Store(1, 1), Load(0)}}), 4U);
  EXPECT_EQ(Count({{Store(0, 1), Fence(), Load(1)}, {Store(1, 1), Fence(), Load(0)}}), 3U);
  EXPECT_EQ(Count({{Store(0, 1), Fence(), Load(1)}, {Store(1, 1), Load(0)}}), 4U);
  EXPECT_EQ(Count({{Store(0, 1, Order::SeqCst), Load(1, Order::SeqCst)},
                   {Store(1, 1, Order::SeqCst), Load(0, Order::SeqCst)}}),
            3U);
  EXPECT_EQ(Count({{Store(0, 1, Order::Release), Load(1, Order::Acquire)},
                   {Store(1, 1, Order::Release), Load(0, Order::Acquire)}}),
            4U);
}

TEST(C11, MessagePassing) {
  EXPECT_EQ(Count({{Store(0, 1), Store(1, 1)}, {Load(1), Load(0)}}), 4U);
  EXPECT_EQ(Count({{Store(0, 1), Store(1, 1, Order::Release)}, {Load(1, Order::Acquire), Load(0)}}), 3U);
  EXPECT_EQ(Count({{Store(0, 1), Fence(Order::Release), Store(1, 1)}, {Load(1), Fence(Order::Acquire), Load(0)}}), 3U);
}

TEST(C11, IndependentReadsOfIndependentWrites) {
  auto iriw = [](Order store, Order load) {
    return Count(
        {{Store(0, 1, store)}, {Store(1, 1, store)}, {Load(0, load), Load(1, load)}, {Load(1, load), Load(0, load)}});
  };
  EXPECT_EQ(iriw(Order::Relaxed, Order::Relaxed), 16U);
  EXPECT_EQ(iriw(Order::Release, Order::Acquire), 16U);
  EXPECT_EQ(iriw(Order::SeqCst, Order::SeqCst), 15U);
  // Fences between relaxed loads: psc_F alone keeps the readers from disagreeing.
  EXPECT_EQ(Count({{Store(0, 1)}, {Store(1, 1)}, {Load(0), Fence(), Load(1)}, {Load(1), Fence(), Load(0)}}), 15U);
}

TEST(C11, SeqCstAccessesAreOrderedThroughOtherLocations) {
  constexpr Order kSc = Order::SeqCst;
  EXPECT_EQ(Count({{Store(0, 1, kSc), Store(2, 1, Order::Release)},
                   {Load(2, Order::Acquire), Load(1, kSc)},
                   {Store(1, 1, kSc), Load(0, kSc)}}),
            7U);
  // Not through the store itself: RC11 is weaker there than C++11 was.
  EXPECT_EQ(Count({{Store(0, 1, kSc)}, {Load(0, Order::Acquire), Load(1, kSc)}, {Store(1, 1, kSc), Load(0, kSc)}}), 8U);
}

TEST(C11, Shapes) {
  // No load buffering: each reads 0, or what the other wrote when that had read 0.
  EXPECT_EQ(Count({{Load(0), Store(1, 1)}, {Load(1), Store(0, 1)}}), 3U);
  // 2+2W: both orders for both locations, the circular one too unless the stores are seq_cst.
  EXPECT_EQ(Count({{Store(0, 1), Store(1, 2)}, {Store(1, 1), Store(0, 2)}}), 4U);
  auto two = [](Order o) { return Count({{Store(0, 1, o), Store(1, 2, o)}, {Store(1, 1, o), Store(0, 2, o)}}); };
  EXPECT_EQ(two(Order::Release), 4U);
  EXPECT_EQ(two(Order::SeqCst), 3U);
  // CoRR: a thread does not go back.
  EXPECT_EQ(Count({{Store(0, 1)}, {Load(0), Load(0)}}), 3U);
  // WRC
  EXPECT_EQ(Count({{Store(0, 1)}, {Load(0), Store(1, 1)}, {Load(1), Load(0)}}), 8U);
  EXPECT_EQ(Count({{Store(0, 1)}, {Load(0), Store(1, 1, Order::Release)}, {Load(1, Order::Acquire), Load(0)}}), 7U);
  // Read-modify-writes come one behind the other.
  EXPECT_EQ(Count({{Add(0)}, {Add(0)}, {Add(0)}}), 6U);
  EXPECT_EQ(Count({{Cas(0, 0, 1)}, {Cas(0, 0, 2)}}), 2U);
}

Order RandomOrder(std::mt19937& random, bool loads, bool stores) {
  std::vector<Order> orders = {Order::Relaxed, Order::SeqCst};
  if (loads) orders.push_back(Order::Acquire);
  if (stores) orders.push_back(Order::Release);
  if (loads && stores) orders.push_back(Order::AcqRel);
  return orders[random() % orders.size()];
}

std::vector<I> RandomThread(std::mt19937& random, size_t length, bool awaits) {
  std::vector<I> thread;
  while (thread.size() < length) {
    auto cell = static_cast<uint32_t>(random() % 2);
    switch (random() % (awaits ? 15 : 12)) {
      case 0:
      case 1:
      case 2:
        thread.push_back(Load(cell, RandomOrder(random, true, false)));
        break;
      case 3:
      case 4:
        thread.push_back(Store(cell, 1 + random() % 2, RandomOrder(random, false, true)));
        break;
      case 5:
        thread.push_back({I::kStoreReg, cell, 1, 0, RandomOrder(random, false, true)});
        break;
      case 6:
      case 7:
        thread.push_back(Add(cell, RandomOrder(random, true, true)));
        break;
      case 8:
        thread.push_back(Cas(cell, random() % 2, 2, RandomOrder(random, true, true)));
        break;
      case 9:
        thread.insert(thread.end(), {{I::kSkipIf, 0, static_cast<uint32_t>(random() % 2), 1}, Store(cell, 3)});
        break;
      case 10:
        thread.push_back(Fence(random() % 2 == 0 ? Order::SeqCst : RandomOrder(random, true, true)));
        break;
      case 12:
        thread.push_back({random() % 2 == 0 ? I::kAwait : I::kAwaitBelow, cell, static_cast<uint32_t>(1 + random() % 2),
                          0, RandomOrder(random, true, false)});
        break;
      case 13:
        thread.push_back({I::kAwaitCas, cell, static_cast<uint32_t>(random() % 2), 2, RandomOrder(random, true, true)});
        break;
      case 14:
        thread.insert(thread.end(),
                      {{I::kAwaitSwap, cell, 1, 0, RandomOrder(random, true, true)}, Store(cell, 0, Order::Release)});
        break;
      default:
        thread.insert(thread.end(), {{I::kLock, 0}, Load(cell), {I::kUnlock, 0}});
    }
  }
  return thread;
}

std::string Text(const ModelProgram& program) {
  std::string text;
  for (const auto& thread : program.threads) {
    text += "\n ";
    for (const I& i : thread) {
      text += " " + std::to_string(i.what) + "(" + std::to_string(i.object) + "," + std::to_string(i.a) + "," +
              std::to_string(i.b) + "; " + std::to_string(static_cast<int>(i.order)) + ")";
    }
  }
  return text;
}

void Compare(uint32_t seed, size_t threads, size_t length, bool awaits = false) {
  std::mt19937 random(seed);
  ModelProgram program;
  program.c11 = true;
  program.loads_last = random() % 2 == 0;
  for (size_t i = 0; i < threads; ++i) program.threads.push_back(RandomThread(random, length, awaits));
  std::set<std::string> all = AllGraphs(program);
  Found found = Explore(program, Algorithm::kSource);
  ASSERT_EQ(found.graphs, all) << "seed " << seed << Text(program);
  ASSERT_EQ(found.executions, all.size()) << "seed " << seed;
}

TEST(C11, RandomProgramsOfTwoThreads) {
  for (uint32_t seed = 0; seed < 600 && !HasFatalFailure(); ++seed) Compare(seed, 2, 3);
}

TEST(C11, RandomProgramsOfThreeThreads) {
  for (uint32_t seed = 0; seed < 400 && !HasFatalFailure(); ++seed) Compare(seed, 3, 2);
}

TEST(C11, RandomProgramsThatAreLarger) {
  for (uint32_t seed = 1000; seed < 1080 && !HasFatalFailure(); ++seed) Compare(seed, 2, 4);
  for (uint32_t seed = 2000; seed < 2030 && !HasFatalFailure(); ++seed) Compare(seed, 3, 3);
  for (uint32_t seed = 3000; seed < 3040 && !HasFatalFailure(); ++seed) Compare(seed, 4, 2);
}

TEST(C11, RandomProgramsWithAwaits) {
  const char* first = getenv("HEDDLE_RANDOM_SEED");
  const char* count = getenv("HEDDLE_RANDOM_PROGRAMS");
  uint32_t from = first == nullptr ? 0 : static_cast<uint32_t>(strtoul(first, nullptr, 10));
  uint32_t most = count == nullptr ? 300 : static_cast<uint32_t>(strtoul(count, nullptr, 10));
  for (uint32_t seed = from; seed < from + most && !HasFatalFailure(); ++seed) {
    Compare(seed, 2 + seed % 2, seed % 2 == 0 ? 3 : 2, true);
  }
}

// Sequential consistency is among what C11 allows: a program that gets stuck there does so here, or the search says
// that it did not look for that.
TEST(C11, AwaitsThatMissAValueAreTold) {
  uint32_t told = 0;
  for (uint32_t seed = 0; seed < 1500 && !HasFatalFailure(); ++seed) {
    std::mt19937 random(seed);
    ModelProgram program;
    for (size_t i = 0; i < 2 + seed % 2; ++i) program.threads.push_back(RandomThread(random, 2, true));
    uint64_t stuck = Explore(program, Algorithm::kDfs).stuck;
    program.c11 = true;
    Found found = Explore(program, Algorithm::kSource);
    ASSERT_TRUE(stuck == 0 || found.stuck > 0 || !found.gap.empty()) << "seed " << seed << Text(program);
    told += stuck > 0 && found.stuck == 0 ? 1 : 0;
  }
  EXPECT_GT(told, 0U);
  auto gap = [](std::vector<std::vector<I>> threads) {
    ModelProgram program;
    program.threads = std::move(threads);
    program.c11 = true;
    return Explore(program, Algorithm::kSource).gap;
  };
  std::vector<I> once = {{I::kAwait, 0, 0, 0, Order::Acquire}, Store(0, 1, Order::Release)};
  EXPECT_NE(gap({once, once}), "");
  // A lock, and turns that are taken one after the other: who has passed changes what it waited for.
  std::vector<I> lock = {{I::kAwaitCas, 0, 0, 1, Order::Acquire}, Store(0, 0, Order::Release)};
  EXPECT_EQ(gap({lock, lock, lock}), "");
  EXPECT_EQ(gap({once, {{I::kAwait, 0, 1, 0, Order::Acquire}, Store(0, 2, Order::Release)}}), "");
}

TEST(C11, ALockThatSpins) {
  std::vector<I> take = {{I::kAwaitCas, 0, 0, 1, Order::Acquire}, {I::kStore, 0, 0, 0, Order::Release}};
  EXPECT_EQ(Count({take, take}), 2U);
  EXPECT_EQ(Count({take, take, take}), 6U);
  EXPECT_EQ(abandoned, 0U);
  EXPECT_EQ(Count({{Add(0)}, {Add(0)}, {Add(0)}, {Add(0)}}), 24U);
  EXPECT_EQ(abandoned, 0U);
}

}  // namespace
}  // namespace heddle::explore
