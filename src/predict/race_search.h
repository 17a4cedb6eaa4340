// Races that some reordering of a model has, one witness for each pair of sites (docs/predict.md, engines 2 to 4).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "predict/access_log.h"
#include "predict/cut_search.h"
#include "predict/model.h"
#include "predict/must_order.h"
#include "predict/sync_preserving.h"

namespace heddle::predict {

enum class Engine : uint8_t { kSyncPreserving, kSearchDataKept, kSearchDataFree };

struct PredictedRace {
  uint32_t site_a = 0;  // AccessLog::sites
  uint32_t site_b = 0;
  uint32_t word = 0;
  Target target;  // the segments of the two
  Witness witness;
  Engine engine = Engine::kSyncPreserving;
};

// What is left of the accesses after each step of the reduction (tables 5.7 and 5.8 of the thesis).
struct Reduction {
  uint64_t accesses = 0;  // events of the trace
  uint64_t logged = 0;    // by word, without repeats in a segment
  uint64_t words = 0;
  uint64_t shared_words = 0;     // two threads, one writes
  uint64_t distinct_words = 0;   // accessed in different segments or by different sites
  uint64_t candidate_pairs = 0;  // pairs of sites without common lock and must-order
  uint64_t excluded = 0;         // instances of them that acquisition histories exclude

  void Add(const Reduction& more) {
    accesses += more.accesses;
    logged += more.logged;
    words += more.words;
    shared_words += more.shared_words;
    distinct_words += more.distinct_words;
    candidate_pairs += more.candidate_pairs;
    excluded += more.excluded;
  }
};

struct RaceLimits {
  SearchLimits search{200'000};
  uint64_t all_states = 5'000'000;  // of all searches together
  uint32_t instances = 8;           // of a pair of sites, in each word and pair of threads that the search tries
  uint32_t attempts = 16;           // words and pairs of threads for a pair of sites
};

struct RaceOutcome {
  std::vector<PredictedRace> races;
  Reduction reduction;
  uint64_t refuted = 0;      // pairs of sites: no reordering has it
  uint64_t not_decided = 0;  // pairs of sites
  uint64_t states = 0;
};

class RaceSearch {
 public:
  RaceSearch(const TraceModel* model, const AccessLog* log, const Locksets* locksets, RaceLimits limits);

  RaceOutcome Run();

 private:
  struct Group {
    uint32_t site;
    std::vector<uint32_t> segments;
  };
  // Code addresses and kinds of the two, the smaller first.
  using PairKey = std::tuple<uint64_t, uint64_t, uint32_t, uint32_t>;
  // What the search is to try when the closure has found nothing.
  struct Pending {
    uint32_t word;
    uint32_t site_a;
    uint32_t site_b;
    std::vector<Target> targets;
  };
  struct PairState {
    bool found = false;
    bool undecided = false;
    uint32_t attempts = 0;
    std::vector<Pending> pending;
  };
  struct PairHash {
    size_t operator()(const PairKey& key) const;
  };

  std::vector<std::vector<LoggedAccess>> SharedWords();
  std::vector<Group> GroupsOf(const std::vector<LoggedAccess>& accesses) const;
  PairKey KeyOf(uint32_t a, uint32_t b) const;
  bool MayRace(uint32_t a, uint32_t b) const;
  void TryWord(uint32_t word, const std::vector<Group>& groups);
  bool TrySyncPreserving(uint32_t word, const Group& a, const Group& b);
  std::vector<Target> Instances(const Group& a, const Group& b, bool* all) const;
  void SearchPending(PairState& state);
  bool TrySearch(const Pending& pending, PairState& state);

  const TraceModel* model_;
  const AccessLog* log_;
  const Locksets* locksets_;
  RaceLimits limits_;
  MustOrder must_;
  SyncPreserving closure_;
  std::unordered_map<PairKey, PairState, PairHash> pairs_;
  std::vector<PairKey> order_;  // of discovery
  RaceOutcome outcome_;
  uint64_t work_ = 0;  // of searches, in states
  bool late_ = false;  // the deadline of the searches has passed
};

}  // namespace heddle::predict
