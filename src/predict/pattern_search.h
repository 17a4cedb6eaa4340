// Orders of accesses that are wrong without being races: regions that are meant to be atomic and are interleaved, and
// heap memory that is used after another thread has freed it, or before it has set it (docs/predict.md).
//
// A region is what lies between the events `atomic_begin` and `atomic_end` of a thread (docs/properties.md says how
// they come into a program). With `infer`, also: a read and the next access of the same thread, a write, in two
// sections of one lock or both atomic, in the same call of a function; what was written does then not depend on what
// others wrote meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "predict/must_order.h"
#include "predict/order_search.h"
#include "predict/prediction.h"

namespace heddle::predict {

enum class Pattern : uint8_t { kAtomicity, kUseAfterFree, kUseBeforeInit };

struct PredictedPattern {
  Pattern pattern = Pattern::kAtomicity;
  uint32_t word = 0;
  std::vector<uint32_t> sites;  // AccessLog::sites, in the wrong order
  std::vector<Part> parts;      // the same
  Witness witness;              // up to where the last one begins
  Engine engine = Engine::kSearchDataKept;
};

struct PatternLimits {
  SearchLimits search{200'000};
  uint32_t searches = 512;  // of all kinds together
  uint32_t instances = 4;   // of the same sites
  uint32_t distance = 8;    // accesses of a region between the two of a pattern
  bool infer = false;
};

struct PatternOutcome {
  std::vector<PredictedPattern> patterns;  // one for each combination of sites
  uint64_t refuted = 0;
  uint64_t not_decided = 0;
  uint64_t states = 0;
};

class PatternSearch {
 public:
  PatternSearch(const ModelledTrace* trace, PatternLimits limits);
  PatternOutcome Run();

 private:
  struct Region {
    uint32_t begin;  // operations
    uint32_t end;
  };
  using Accesses = std::vector<LoggedAccess>;
  using Key = std::vector<uint64_t>;
  struct State {
    uint32_t tried = 0;
    bool found = false;
    bool undecided = false;
  };

  const AccessSite& SiteOf(const LoggedAccess& access) const { return trace_->log.sites()[access.site]; }
  uint32_t ThreadOf(const LoggedAccess& access) const { return SiteOf(access).point.thread; }
  Part PartOf(const LoggedAccess& access) const;
  void FindRegions();
  bool InRegion(const Region& region, const LoggedAccess& access) const;
  bool InOneRegion(const LoggedAccess& a, const LoggedAccess& b) const;
  bool Inferred(const LoggedAccess& a, const LoggedAccess& b) const;
  void Atomicity(const Accesses& accesses);
  void Between(const LoggedAccess& first, const LoggedAccess& last, const Accesses& accesses);
  void HeapUses(const Accesses& accesses);
  void BeforeInit(const Accesses& accesses, const HeapBlock& block);
  void Try(Pattern pattern, const std::vector<LoggedAccess>& order, const std::vector<Part>& before);

  const ModelledTrace* trace_;
  PatternLimits limits_;
  MustOrder must_;
  std::vector<std::vector<Region>> regions_;  // by thread
  std::map<Key, State> known_;
  uint32_t searches_ = 0;
  bool late_ = false;  // the deadline of the searches has passed
  PatternOutcome outcome_;
};

}  // namespace heddle::predict
