// A search that several explore together, against one that is explored alone: the same classes of executions, each
// once, none abandoned, whoever explores what in whatever order, gives it back in the middle or is lost, and when the
// whole is saved and loaded in between.
#include "explore/shared_search.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "explore/dpor.h"
#include "explore/model_program.h"
#include "explore/random_program.h"

namespace heddle::explore {
namespace {

struct Outcome {
  std::multiset<std::string> classes;
  std::set<std::string> states;
  uint64_t asleep = 0;

  void Add(const Outcome& other) {
    classes.insert(other.classes.begin(), other.classes.end());
    states.insert(other.states.begin(), other.states.end());
    asleep += other.asleep;
  }
};

void Perform(const ModelProgram& program, const Request& request, Dpor& search, Outcome& outcome) {
  std::string state;
  Execution execution = program.Run(request, &state);
  ASSERT_TRUE(search.Executed(execution));
  if (execution.end == End::kAsleep) {
    ++outcome.asleep;
    return;
  }
  outcome.states.insert(state);
  outcome.classes.insert(ClassOf(execution));
}

Outcome Alone(const ModelProgram& program) {
  Dpor search(SearchOptions{});
  Outcome outcome;
  for (Request request; search.Next(&request);) {
    Perform(program, request, search, outcome);
    if (outcome.classes.size() > 400) break;
  }
  return outcome;
}

struct Counts {
  uint64_t subtrees = 0;
  uint64_t given_back = 0;
  uint64_t lost = 0;
  uint64_t loads = 0;
};

// Several workers that a random order moves on, one execution at a time.
class Together {
 public:
  Together(const ModelProgram& program, uint32_t seed, Counts& counts)
      : program_(program), random_(seed), counts_(counts), workers_(1 + Below(4)) {}

  Outcome Run() {
    while (!shared_.Done() && !testing::Test::HasFatalFailure()) {
      if (Below(20) == 0) Reload();
      Worker& worker = workers_[Below(static_cast<uint32_t>(workers_.size()))];
      worker.search == nullptr ? Begin(worker) : Step(worker);
    }
    return all_;
  }

 private:
  struct Worker {
    uint64_t name = 0;
    std::unique_ptr<Dpor> search;
    Outcome outcome;
  };

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void Begin(Worker& worker) {
    std::optional<SharedSearch::Given> given = shared_.Take();
    if (!given) return;
    ++counts_.subtrees;
    std::optional<Subtree> subtree = DecodeSubtree(EncodeSubtree(given->subtree));
    ASSERT_TRUE(subtree);
    worker.name = given->name;
    worker.search = std::make_unique<Dpor>(std::move(*subtree));
    worker.outcome = {};
  }

  void Step(Worker& worker) {
    if (Below(15) == 0) return Lose(worker);
    if (Below(5) == 0) return Finish(worker);
    Request request;
    if (!worker.search->Next(&request)) return Finish(worker);
    Perform(program_, request, *worker.search, worker.outcome);
  }

  // At the end, or in the middle.
  void Finish(Worker& worker) {
    // A branch that was only planned is not explored: one execution comes first.
    if (worker.outcome.classes.empty() && worker.outcome.asleep == 0) return;
    std::optional<SubtreeRest> rest = DecodeRest(EncodeRest(worker.search->Leave()));
    ASSERT_TRUE(rest);
    counts_.given_back += rest->own.empty() ? 0 : 1;
    ASSERT_TRUE(shared_.Finished(worker.name, std::move(*rest), Below(4)));
    all_.Add(worker.outcome);
    worker.search.reset();
  }

  void Lose(Worker& worker) {
    ++counts_.lost;
    shared_.Lost(worker.name);
    worker.search.reset();
  }

  // The leader was killed: everything that is under way is lost.
  void Reload() {
    ++counts_.loads;
    std::optional<SharedSearch> loaded = SharedSearch::Load(shared_.Save());
    ASSERT_TRUE(loaded);
    shared_ = std::move(*loaded);
    for (Worker& worker : workers_) worker.search.reset();
  }

  const ModelProgram& program_;
  std::mt19937 random_;
  Counts& counts_;
  SharedSearch shared_;
  std::vector<Worker> workers_;
  Outcome all_;
};

uint32_t Number(const char* name, uint32_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(strtoul(text, nullptr, 10));
}

// HEDDLE_RANDOM_PROGRAMS and HEDDLE_RANDOM_SEED as in random_programs_test.cpp, which compares the search alone with
// enumeration.
TEST(SharedSearch, ExploresWhatOneAloneExplores) {
  uint32_t wanted = Number("HEDDLE_RANDOM_PROGRAMS", 300);
  uint32_t seed = Number("HEDDLE_RANDOM_SEED", 1);
  Counts counts;
  uint64_t classes = 0;
  for (uint32_t tried = 0; tried < wanted; ++seed) {
    ModelProgram program = RandomProgram(seed);
    Outcome alone = Alone(program);
    if (alone.classes.size() > 400) continue;
    ++tried;
    classes += alone.classes.size();
    Outcome together = Together(program, seed, counts).Run();
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << Text(program);
    ASSERT_EQ(together.states, alone.states) << "seed " << seed << Text(program);
    ASSERT_TRUE(together.classes == alone.classes)
        << together.classes.size() << " of " << alone.classes.size() << " classes, seed " << seed << Text(program);
    ASSERT_EQ(together.asleep, 0U) << "seed " << seed << Text(program);
  }
  EXPECT_GT(counts.given_back, wanted / 4);
  EXPECT_GT(counts.lost, wanted / 4);
  printf("%u programs, %lu classes, %lu subtrees, %lu given back, %lu lost, %lu times loaded\n", wanted, classes,
         counts.subtrees, counts.given_back, counts.lost, counts.loads);
}

TEST(SharedSearch, ChoicesAreBranches) {
  using I = Instruction;
  ModelProgram program;
  program.threads = {{{I::kChoose, 0, 3}, {I::kStoreReg, 0, 1}},
                     {{I::kChoose, 0, 2}, {I::kStoreReg, 0, 5}, {I::kLoad, 0}},
                     {{I::kLoad, 0}, {I::kAdd, 0, 1}}};
  Outcome alone = Alone(program);
  Counts counts;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    Outcome together = Together(program, seed, counts).Run();
    ASSERT_EQ(together.states, alone.states);
    ASSERT_EQ(together.classes, alone.classes);
  }
}

// What comes over a network or from a file may be anything.
TEST(SharedSearch, TakesNothingThatCannotBe) {
  SharedSearch shared;
  std::optional<SharedSearch::Given> root = shared.Take();
  ASSERT_TRUE(root);
  Dpor search(std::move(root->subtree));
  ModelProgram program = RandomProgram(7);
  Outcome outcome;
  Request request;
  ASSERT_TRUE(search.Next(&request));
  Perform(program, request, search, outcome);
  std::string rest = EncodeRest(search.Leave());
  ASSERT_TRUE(shared.Finished(root->name, *DecodeRest(rest), 2));
  EXPECT_FALSE(shared.Finished(root->name, *DecodeRest(rest), 2)) << "it is finished already";
  std::optional<SharedSearch::Given> branch = shared.Take();
  ASSERT_TRUE(branch);
  SubtreeRest deep;
  deep.asks.push_back({branch->subtree.base, {ExploredEvent{}}});
  EXPECT_FALSE(shared.Finished(branch->name, std::move(deep), 0)) << "it asks for what is its own";
  std::string subtree = EncodeSubtree(branch->subtree);
  std::string saved = shared.Save();
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    for (const std::string& text : {rest, subtree, saved}) {
      std::string bad = text;
      bad[random() % bad.size()] = static_cast<char>(random());
      if (random() % 4 == 0) bad.resize(random() % bad.size());
      (void)DecodeRest(bad);
      (void)DecodeSubtree(bad);
      (void)SharedSearch::Load(bad);
    }
  }
  EXPECT_FALSE(DecodeSubtree(""));
  EXPECT_FALSE(SharedSearch::Load(saved + "x"));
}

}  // namespace
}  // namespace heddle::explore
