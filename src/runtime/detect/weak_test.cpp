// What weak.h lets loads read, against an axiomatic model. Small programs over two locations are run by an exhaustive
// search over all schedules and all choices of stores; every outcome must be one that the axioms allow (RC11 without
// load buffering, which implements C++20's rules; Lahav et al., "Repairing Sequential Consistency in C/C++11"), and for
// the classical shapes all of those must come.
#include "runtime/detect/weak.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/relation.h"

namespace heddle::rt::detect {
namespace {

enum Mode : uint8_t { kRlx, kAcq, kRel, kAcqRel, kSc };
bool Acquires(Mode mode) { return mode == kAcq || mode >= kAcqRel; }
bool Releases(Mode mode) { return mode >= kRel; }

struct Instruction {
  enum Kind : uint8_t { kLoad, kStore, kRmw, kFence } kind;
  uint8_t place;
  Mode mode;
};
using Program = std::vector<std::vector<Instruction>>;
// Values are the numbers of the writing instructions, 1 up; 0 is the initial value. An outcome is what each read read.
using Outcome = std::vector<int>;

struct Numbered {
  Instruction instruction;
  int thread;
  int number;  // 1 up
};
std::vector<Numbered> Number(const Program& program) {
  std::vector<Numbered> all;
  for (size_t t = 0; t < program.size(); ++t) {
    for (const Instruction& i : program[t]) all.push_back({i, static_cast<int>(t), static_cast<int>(all.size()) + 1});
  }
  return all;
}

// ---- the operational side: one path of choices at a time ----

class Choices {
 public:
  uint32_t Choose(uint32_t options) {
    if (at_ == path_.size()) path_.push_back({0, options});
    return path_[at_++].first;
  }
  bool Next() {
    while (!path_.empty() && path_.back().first + 1 == path_.back().second) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().first;
    at_ = 0;
    return true;
  }

 private:
  std::vector<std::pair<uint32_t, uint32_t>> path_;
  size_t at_ = 0;
};

class Machine {
 public:
  Machine(const Program& program, Choices& choices) : program_(program), choices_(choices), order_(program.size()) {
    for (size_t t = 0; t < program.size(); ++t) order_[t].Begin(static_cast<uint32_t>(t), 1);
    for (StoreBuffer& stores : stores_) SynchroniseStores(stores, 0, 8);
  }
  ~Machine() {
    for (ThreadOrder& order : order_) order.Clear();
    for (StoreBuffer& stores : stores_) stores.Clear();
    for (SyncOrder& location : locations_) location.Clear();
    fences_.Clear();
  }

  Outcome Run() {
    std::vector<size_t> at(program_.size());
    std::vector<int> first(program_.size());
    int total = 0;
    for (size_t t = 0; t < program_.size(); ++t) {
      first[t] = total + 1;
      total += static_cast<int>(program_[t].size());
    }
    Outcome read(static_cast<size_t>(total) + 1, -1);
    for (;;) {
      std::vector<size_t> able;
      for (size_t t = 0; t < program_.size(); ++t) {
        if (at[t] < program_[t].size()) able.push_back(t);
      }
      if (able.empty()) return read;
      size_t t = able[choices_.Choose(static_cast<uint32_t>(able.size()))];
      int number = first[t] + static_cast<int>(at[t]);
      Step(order_[t], program_[t][at[t]++], number, &read[static_cast<size_t>(number)]);
    }
  }

 private:
  void Step(ThreadOrder& thread, const Instruction& instruction, int number, int* read) {
    bool sc = instruction.mode == kSc;
    if (instruction.kind == Instruction::kFence) {
      if (Acquires(instruction.mode)) thread.Learn(thread.pending);
      if (sc) fences_.Add(thread);
      Fence(thread, Acquires(instruction.mode), Releases(instruction.mode));
      return;
    }
    StoreBuffer& stores = stores_[instruction.place];
    SyncOrder& location = locations_[instruction.place];
    WeakEvent event{thread.slot, thread.epoch, sc ? fences_.Tick() : 0};
    auto value = static_cast<uint64_t>(number);
    if (instruction.kind == Instruction::kStore) {
      StoreAtomic(thread, location, Releases(instruction.mode), Standard::kCxx20);
      AddStore(stores, event, value, location, 128);
      return;
    }
    uint32_t back = 1;
    if (instruction.kind == Instruction::kLoad) back += choices_.Choose(ReadableStores(stores, thread, sc, fences_));
    StoreElement& store = stores.At(stores.count - back);
    NoteReader(store, event);
    *read = static_cast<int>(store.value);
    LoadAtomic(thread, store.order, Acquires(instruction.mode));
    if (instruction.kind != Instruction::kRmw) return;
    UpdateAtomic(thread, location, Releases(instruction.mode), Standard::kCxx20);
    AddStore(stores, event, value, location, 128);
  }

  const Program& program_;
  Choices& choices_;
  std::vector<ThreadOrder> order_;
  std::array<StoreBuffer, 2> stores_{};
  std::array<SyncOrder, 2> locations_{};
  ScFences fences_;
};

std::set<Outcome> Operational(const Program& program) {
  std::set<Outcome> outcomes;
  Choices choices;
  do {
    outcomes.insert(Machine(program, choices).Run());
  } while (choices.Next());
  return outcomes;
}

// ---- the axiomatic side: events 0 and 1 are the initial writes, then the instructions in order ----

constexpr size_t kMost = 16;
using Set = std::bitset<kMost>;
using Relation = heddle::Relation<kMost>;

class Axioms {
 public:
  explicit Axioms(const Program& program) : events_(Number(program)) {
    for (size_t i = 0; i < events_.size(); ++i) {
      const Numbered& event = events_[i];
      size_t e = i + 2;
      auto kind = event.instruction.kind;
      if (kind == Instruction::kFence) fences_.set(e);
      if (kind == Instruction::kLoad || kind == Instruction::kRmw) reads_.set(e);
      if (kind == Instruction::kStore || kind == Instruction::kRmw) writes_.set(e);
      if (event.instruction.mode == kSc) sc_.set(e);
      if (Acquires(event.instruction.mode)) acquire_.set(e);
      if (Releases(event.instruction.mode)) release_.set(e);
      sb_[0].set(e);
      sb_[1].set(e);
      for (size_t j = i + 1; j < events_.size(); ++j) {
        if (events_[j].thread == event.thread) sb_[e].set(j + 2);
      }
    }
    writes_.set(0);
    writes_.set(1);
  }

  // Whether some modification order makes the outcome consistent.
  bool Allows(const Outcome& outcome) {
    Relation rf{};
    for (size_t i = 0; i < events_.size(); ++i) {
      if (!reads_[i + 2]) continue;
      int value = outcome[i + 1];
      size_t from = value == 0 ? events_[i].instruction.place : static_cast<size_t>(value) + 1;
      rf[from].set(i + 2);
    }
    std::array<std::vector<size_t>, 2> writes;
    for (size_t i = 0; i < events_.size(); ++i) {
      if (writes_[i + 2]) writes[events_[i].instruction.place].push_back(i + 2);
    }
    do {
      do {
        Relation mo{};
        for (size_t place = 0; place < 2; ++place) {
          for (size_t a = 0; a < writes[place].size(); ++a) {
            mo[place].set(writes[place][a]);
            for (size_t b = a + 1; b < writes[place].size(); ++b) mo[writes[place][a]].set(writes[place][b]);
          }
        }
        if (Consistent(rf, mo)) return true;
      } while (std::next_permutation(writes[1].begin(), writes[1].end()));
    } while (std::next_permutation(writes[0].begin(), writes[0].end()));
    return false;
  }

 private:
  size_t Place(size_t e) const { return e < 2 ? e : events_[e - 2].instruction.place; }
  bool SamePlace(size_t a, size_t b) const { return !fences_[a] && !fences_[b] && Place(a) == Place(b); }

  Relation HappensBefore(const Relation& rf) const {
    Relation rmw{};  // a read-modify-write is one event: it is in its own sequence
    for (size_t e = 0; e < kMost; ++e) {
      if (reads_[e] && writes_[e]) rmw[e].set(e);
    }
    Set all;
    all.set();
    // rs: a write, then read-modify-writes one from another (C++20).
    Relation sequence = Reflexive(Closure(Compose(rf, rmw)));
    Relation head =
        Union(Restrict(release_, sequence, all), Compose(Restrict(release_ & fences_, sb_, writes_), sequence));
    Relation to = Compose(head, rf);
    Relation sw = Union(Restrict(all, to, acquire_), Restrict(all, Compose(to, sb_), acquire_ & fences_));
    return Closure(Union(sb_, sw));
  }

  bool Consistent(const Relation& rf, const Relation& mo) const {
    if (!Irreflexive(Closure(Union(sb_, rf)))) return false;  // no load buffering
    Relation fr{};
    for (size_t w = 0; w < kMost; ++w) {
      for (size_t r = 0; r < kMost; ++r) {
        if (rf[w][r]) fr[r] |= mo[w];
      }
    }
    for (size_t e = 0; e < kMost; ++e) fr[e].reset(e);
    // Atomicity: nothing between what a read-modify-write reads and what it writes.
    for (size_t e = 2; e < kMost; ++e) {
      if (!reads_[e] || !writes_[e]) continue;
      for (size_t w = 0; w < kMost; ++w) {
        if (fr[e][w] && mo[w][e]) return false;
        if (rf[w][e] && !mo[w][e]) return false;
      }
    }
    Relation hb = HappensBefore(rf);
    Relation eco = Closure(Union(Union(rf, mo), fr));
    if (!Irreflexive(hb) || !Irreflexive(Compose(hb, Reflexive(eco))) || !Irreflexive(eco)) return false;
    return Irreflexive(Closure(PartialSc(hb, mo, fr, eco)));
  }

  Relation PartialSc(const Relation& hb, const Relation& mo, const Relation& fr, const Relation& eco) const {
    Relation sb_other{};
    Relation hb_same{};
    for (size_t a = 0; a < kMost; ++a) {
      for (size_t b = 0; b < kMost; ++b) {
        if (sb_[a][b] && !SamePlace(a, b)) sb_other[a].set(b);
        if (hb[a][b] && SamePlace(a, b)) hb_same[a].set(b);
      }
    }
    Relation scb = Union(Union(sb_, Compose(Compose(sb_other, hb), sb_other)), Union(hb_same, Union(mo, fr)));
    Set sc_accesses = sc_ & ~fences_;
    Set sc_fences = sc_ & fences_;
    Set all;
    all.set();
    Relation identity = Reflexive(Relation{});
    Relation left = Union(Restrict(sc_accesses, identity, all), Restrict(sc_fences, Reflexive(hb), all));
    Relation right = Union(Restrict(all, identity, sc_accesses), Restrict(all, Reflexive(hb), sc_fences));
    Relation base = Compose(Compose(left, scb), right);
    Relation fence = Restrict(sc_fences, Union(hb, Compose(Compose(hb, eco), hb)), sc_fences);
    return Union(base, fence);
  }

  std::vector<Numbered> events_;
  Set reads_, writes_, fences_, sc_, acquire_, release_;
  Relation sb_{};
};

// Every assignment of values that exist.
std::set<Outcome> Axiomatic(const Program& program) {
  std::vector<Numbered> events = Number(program);
  Axioms axioms(program);
  std::set<Outcome> allowed;
  Outcome outcome(events.size() + 1, -1);
  auto fill = [&](auto&& self, size_t i) -> void {
    if (i == events.size()) {
      if (axioms.Allows(outcome)) allowed.insert(outcome);
      return;
    }
    auto kind = events[i].instruction.kind;
    if (kind != Instruction::kLoad && kind != Instruction::kRmw) return self(self, i + 1);
    for (int value = 0; value <= static_cast<int>(events.size()); ++value) {
      if (value > 0) {
        const Instruction& writer = events[static_cast<size_t>(value) - 1].instruction;
        bool writes = writer.kind == Instruction::kStore || writer.kind == Instruction::kRmw;
        if (!writes || writer.place != events[i].instruction.place || value == events[i].number) continue;
      }
      outcome[i + 1] = value;
      self(self, i + 1);
    }
    outcome[i + 1] = -1;
  };
  fill(fill, 0);
  return allowed;
}

std::string Text(const Program& program) {
  constexpr const char* kModes[] = {"rlx", "acq", "rel", "acqrel", "sc"};
  constexpr const char* kKinds[] = {"R", "W", "U", "F"};
  std::string text;
  for (const auto& thread : program) {
    for (const Instruction& i : thread) {
      text += std::string(kKinds[i.kind]) +
              (i.kind == Instruction::kFence ? ""
               : i.place == 0                ? "x"
                                             : "y") +
              "." + kModes[i.mode] + " ";
    }
    text += "| ";
  }
  return text;
}

void ExpectSound(const Program& program) {
  std::set<Outcome> allowed = Axiomatic(program);
  for (const Outcome& outcome : Operational(program)) {
    ASSERT_TRUE(allowed.contains(outcome)) << Text(program) << testing::PrintToString(outcome);
  }
}

Instruction RandomInstruction(std::mt19937& random) {
  auto place = static_cast<uint8_t>(random() % 2);
  switch (random() % 8) {
    case 0:
    case 1:
    case 2:
      return {Instruction::kLoad, place, std::array{kRlx, kAcq, kSc}[random() % 3]};
    case 3:
    case 4:
    case 5:
      return {Instruction::kStore, place, std::array{kRlx, kRel, kSc}[random() % 3]};
    case 6:
      return {Instruction::kRmw, place, std::array{kRlx, kAcq, kRel, kAcqRel, kSc}[random() % 5]};
    default:
      return {Instruction::kFence, 0, std::array{kAcq, kRel, kAcqRel, kSc}[random() % 4]};
  }
}

TEST(Weak, EveryProgramOfTwoThreadsWithTwoOperations) {
  std::vector<Instruction> alphabet;
  for (uint8_t place = 0; place < 2; ++place) {
    for (Mode mode : {kRlx, kAcq, kSc}) alphabet.push_back({Instruction::kLoad, place, mode});
    for (Mode mode : {kRlx, kRel, kSc}) alphabet.push_back({Instruction::kStore, place, mode});
    for (Mode mode : {kRlx, kAcqRel, kSc}) alphabet.push_back({Instruction::kRmw, place, mode});
  }
  for (Mode mode : {kAcq, kRel, kSc}) alphabet.push_back({Instruction::kFence, 0, mode});
  // Half of them by symmetry between the threads.
  size_t n = alphabet.size();
  for (size_t a = 0; a < n * n; ++a) {
    for (size_t b = a; b < n * n; ++b) {
      ExpectSound({{alphabet[a / n], alphabet[a % n]}, {alphabet[b / n], alphabet[b % n]}});
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Weak, RandomProgramsOfTwoThreads) {
  std::mt19937 random(11);
  for (int i = 0; i < 4000; ++i) {
    Program program(2);
    for (auto& thread : program) {
      for (size_t n = 2 + random() % 3; n > 0; --n) thread.push_back(RandomInstruction(random));
    }
    ExpectSound(program);
    if (HasFatalFailure()) return;
  }
}

TEST(Weak, RandomProgramsOfThreeThreads) {
  std::mt19937 random(12);
  for (int i = 0; i < 1500; ++i) {
    Program program(3);
    for (auto& thread : program) {
      for (size_t n = 1 + random() % 3; n > 0; --n) thread.push_back(RandomInstruction(random));
    }
    ExpectSound(program);
    if (HasFatalFailure()) return;
  }
}

// The classical shapes, with every order and fence: nothing that the axioms allow is missed.
TEST(Weak, StoreBufferingIsReachedCompletely) {
  constexpr auto R = Instruction::kLoad;
  constexpr auto W = Instruction::kStore;
  constexpr auto F = Instruction::kFence;
  std::vector<Program> programs;
  for (Mode store : {kRlx, kRel, kSc}) {
    for (Mode load : {kRlx, kAcq, kSc}) {
      programs.push_back({{{W, 0, store}, {R, 1, load}}, {{W, 1, store}, {R, 0, load}}});
      programs.push_back({{{W, 0, store}, {W, 1, store}}, {{R, 1, load}, {R, 0, load}}});
      // C++20's words forbid two seq_cst readers to disagree about weaker writes; RC11 lets them.
      if (load != kSc || store == kSc) {
        programs.push_back(
            {{{W, 0, store}}, {{W, 1, store}}, {{R, 0, load}, {R, 1, load}}, {{R, 1, load}, {R, 0, load}}});
      }
      for (Mode fence : {kAcq, kRel, kSc}) {
        programs.push_back(
            {{{W, 0, store}, {F, 0, fence}, {R, 1, load}}, {{W, 1, store}, {F, 0, fence}, {R, 0, load}}});
        programs.push_back(
            {{{W, 0, store}, {F, 0, fence}, {W, 1, store}}, {{R, 1, load}, {F, 0, fence}, {R, 0, load}}});
      }
    }
  }
  for (const Program& program : programs) EXPECT_EQ(Operational(program), Axiomatic(program)) << Text(program);
}

TEST(Weak, OldStoresAreFavouredAndTheSeedDecides) {
  std::array<int, 3> counts{};
  StoreChoice choice(5);
  for (int i = 0; i < 40000; ++i) ++counts[choice.Pick(3)];
  EXPECT_NEAR(counts[0], 20000, 600);
  EXPECT_NEAR(counts[1], 10000, 500);
  EXPECT_NEAR(counts[2], 10000, 500);
  StoreChoice a(9);
  StoreChoice b(9);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Pick(5), b.Pick(5));
}

TEST(Weak, KeepsAsManyStoresAsAsked) {
  StoreBuffer stores{};
  SynchroniseStores(stores, 0, 8);
  SyncOrder order;
  for (uint64_t i = 1; i <= 1000; ++i) AddStore(stores, {0, i, 0}, i, order, 128);
  EXPECT_EQ(stores.count, 128U);
  EXPECT_EQ(stores.At(127).value, 1000U);
  EXPECT_EQ(stores.At(0).value, 873U);
  SynchroniseStores(stores, 7, 8);  // somebody else wrote
  EXPECT_EQ(stores.count, 1U);
  stores.Clear();
}

}  // namespace
}  // namespace heddle::rt::detect
