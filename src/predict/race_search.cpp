// From the accesses of a trace to races that some reordering of it has.
//
// 1. Words that one thread alone uses, or that nobody writes, are dropped; of words that are used alike one is kept.
// 2. Accesses of a word are grouped by site, and sites are paired: two threads, one writes, no common lock.
// 3. Each pair of sites is first asked of the sync-preserving closure, which walks the accesses of both threads once
// and
//    proves what it finds. A pair that must-order orders everywhere is refuted.
// 4. What is left is searched over cuts (cut_search.h), with data kept, then with data free, a few instances of each
//    pair, within one budget for all. A search that ends at its limit makes the pair "not decided", never absent.
//
// After "Predicting Errors in Concurrent Systems", chapter 5 (the reduction of tables 5.7 and 5.8 is counted here).
// Tests: engines_test.cpp (against all reorderings of random traces), csp_oracle_test.cpp.
#include "predict/race_search.h"

#include <algorithm>
#include <unordered_set>

#include "predict/acquisition.h"

namespace heddle::predict {
namespace {

uint64_t Fingerprint(const std::vector<LoggedAccess>& accesses) {
  uint64_t hash = accesses.size();
  for (const LoggedAccess& access : accesses) {
    hash = (hash ^ access.site) * 0x9E3779B97F4A7C15U;
    hash = (hash ^ hash >> 29U ^ access.segment) * 0xBF58476D1CE4E5B9U;
  }
  return hash;
}

uint32_t KindOf(const AccessPoint& point) { return (point.write ? 1U : 0U) | (point.atomic ? 2U : 0U); }

}  // namespace

RaceSearch::RaceSearch(const TraceModel* model, const AccessLog* log, const Locksets* locksets, RaceLimits limits)
    : model_(model), log_(log), locksets_(locksets), limits_(limits), must_(*model), closure_(model) {}

// The accesses of each word that two threads use and one writes; of words that are used alike only one.
std::vector<std::vector<LoggedAccess>> RaceSearch::SharedWords() {
  const std::vector<LoggedAccess>& all = log_->accesses();
  struct Use {
    uint32_t thread = kNone;
    uint32_t count = 0;
    uint32_t list = kNone;
    bool shared = false;
    bool written = false;
  };
  std::vector<Use> uses(log_->words().size());
  for (const LoggedAccess& access : all) {
    const AccessPoint& point = log_->sites()[access.site].point;
    Use& use = uses[access.word];
    use.shared = use.shared || (use.thread != kNone && use.thread != point.thread);
    use.thread = point.thread;
    use.written = use.written || point.write;
  }
  std::vector<std::vector<LoggedAccess>> lists;
  for (const LoggedAccess& access : all) {
    Use& use = uses[access.word];
    if (!use.shared || !use.written) continue;
    if (use.list == kNone) {
      use.list = static_cast<uint32_t>(lists.size());
      lists.emplace_back();
    }
    lists[use.list].push_back(access);
  }
  outcome_.reduction.accesses = log_->seen();
  outcome_.reduction.logged = all.size();
  outcome_.reduction.words = uses.size();
  outcome_.reduction.shared_words = lists.size();
  std::unordered_set<uint64_t> known;
  std::erase_if(lists, [&](const auto& list) { return !known.insert(Fingerprint(list)).second; });
  outcome_.reduction.distinct_words = lists.size();
  return lists;
}

std::vector<RaceSearch::Group> RaceSearch::GroupsOf(const std::vector<LoggedAccess>& accesses) const {
  std::map<uint32_t, std::vector<uint32_t>> by_site;
  for (const LoggedAccess& access : accesses) {
    std::vector<uint32_t>& segments = by_site[access.site];
    if (segments.empty() || segments.back() != access.segment) segments.push_back(access.segment);
  }
  std::vector<Group> groups;
  for (auto& [site, segments] : by_site) groups.push_back({site, std::move(segments)});
  return groups;
}

RaceSearch::PairKey RaceSearch::KeyOf(uint32_t a, uint32_t b) const {
  const AccessPoint& x = log_->sites()[a].point;
  const AccessPoint& y = log_->sites()[b].point;
  uint64_t x_place = x.pc != 0 ? x.pc : x.address;
  uint64_t y_place = y.pc != 0 ? y.pc : y.address;
  auto left = std::pair(x_place, KindOf(x));
  auto right = std::pair(y_place, KindOf(y));
  if (right < left) std::swap(left, right);
  return {left.first, right.first, left.second, right.second};
}

bool RaceSearch::MayRace(uint32_t a, uint32_t b) const {
  const AccessSite& x = log_->sites()[a];
  const AccessSite& y = log_->sites()[b];
  if (x.point.thread == y.point.thread || (x.mask & y.mask) == 0) return false;
  if (!x.point.write && !y.point.write) return false;
  if (x.point.atomic && y.point.atomic) return false;
  return !locksets_->Exclude(x.point.lockset, y.point.lockset);
}

size_t RaceSearch::PairHash::operator()(const PairKey& key) const {
  uint64_t hash = std::get<0>(key) * 0x9E3779B97F4A7C15U ^ std::get<1>(key);
  hash = (hash ^ hash >> 29U) * 0xBF58476D1CE4E5B9U ^ (std::get<2>(key) << 2U | std::get<3>(key));
  return hash ^ hash >> 32U;
}

// First the closure on everything, which is cheap; then the search on what is left, as far as the limits go.
RaceOutcome RaceSearch::Run() {
  std::vector<std::vector<LoggedAccess>> lists = SharedWords();
  for (const std::vector<LoggedAccess>& list : lists) {
    late_ = late_ || limits_.search.deadline.Passed();
    if (!late_) TryWord(list.front().word, GroupsOf(list));
  }
  for (const PairKey& key : order_) {
    PairState& state = pairs_[key];
    if (!state.found) SearchPending(state);
    if (!state.found) ++(state.undecided ? outcome_.not_decided : outcome_.refuted);
  }
  if (late_) ++outcome_.not_decided;  // at least: what was not looked at is not counted
  outcome_.reduction.candidate_pairs = pairs_.size();
  return std::move(outcome_);
}

void RaceSearch::TryWord(uint32_t word, const std::vector<Group>& groups) {
  for (size_t i = 0; i < groups.size() && !late_; ++i) {
    late_ = limits_.search.deadline.Passed();
    for (size_t j = i + 1; j < groups.size(); ++j) {
      if (!MayRace(groups[i].site, groups[j].site)) continue;
      PairKey key = KeyOf(groups[i].site, groups[j].site);
      auto known = pairs_.find(key);
      if (known != pairs_.end() && (known->second.found || known->second.attempts > limits_.attempts)) continue;
      bool all = true;
      std::vector<Target> targets = Instances(groups[i], groups[j], &all);
      if (targets.empty()) continue;
      if (known == pairs_.end()) order_.push_back(key);
      PairState& state = pairs_[key];
      if (state.attempts++ == limits_.attempts) {
        state.undecided = true;
        continue;
      }
      state.found = TrySyncPreserving(word, groups[i], groups[j]);
      if (state.found) {
        state.pending.clear();
        continue;
      }
      state.undecided = state.undecided || !all;
      state.pending.push_back({word, groups[i].site, groups[j].site, std::move(targets)});
    }
  }
}

void RaceSearch::SearchPending(PairState& state) {
  for (const Pending& pending : state.pending) {
    state.found = TrySearch(pending, state);
    if (state.found) return;
  }
}

// Two queues: an access that the closure has passed is passed for all that come later in the other queue as well.
bool RaceSearch::TrySyncPreserving(uint32_t word, const Group& a, const Group& b) {
  uint32_t thread_a = log_->sites()[a.site].point.thread;
  uint32_t thread_b = log_->sites()[b.site].point.thread;
  closure_.Restart();
  for (size_t i = 0, j = 0; i < a.segments.size() && j < b.segments.size();) {
    Place x{thread_a, a.segments[i]};
    Place y{thread_b, b.segments[j]};
    if (must_.Precedes(x, y)) {
      ++i;
      continue;
    }
    if (must_.Precedes(y, x)) {
      ++j;
      continue;
    }
    if (closure_.Reaches({x, y})) {
      outcome_.races.push_back({a.site, b.site, word, {x, y}, closure_.MakeWitness(), Engine::kSyncPreserving});
      return true;
    }
    if (closure_.impossible()) return false;
    bool beyond_a = closure_.Position(thread_a) > x.position;
    bool beyond_b = closure_.Position(thread_b) > y.position;
    i += beyond_a ? 1 : 0;
    j += beyond_b ? 1 : 0;
  }
  return false;
}

// Pairs of segments that must-order leaves open, at most so many as the search tries.
std::vector<Target> RaceSearch::Instances(const Group& a, const Group& b, bool* all) const {
  uint32_t thread_a = log_->sites()[a.site].point.thread;
  uint32_t thread_b = log_->sites()[b.site].point.thread;
  std::vector<Target> found;
  *all = true;
  size_t first = 0;  // of b that is not before all that follow in a
  for (uint32_t segment : a.segments) {
    Place x{thread_a, segment};
    while (first < b.segments.size() && must_.Precedes({thread_b, b.segments[first]}, x)) ++first;
    for (size_t j = first; j < b.segments.size(); ++j) {
      Place y{thread_b, b.segments[j]};
      if (must_.Precedes(x, y)) break;
      if (found.size() == limits_.instances) {
        *all = false;
        return found;
      }
      found.push_back({x, y});
    }
  }
  return found;
}

bool RaceSearch::TrySearch(const Pending& pending, PairState& state) {
  std::vector<Target> open = pending.targets;
  std::erase_if(open, [&](const Target& target) { return HistoriesExclude(*model_, target); });
  outcome_.reduction.excluded += pending.targets.size() - open.size();
  for (bool keep_data : {true, false}) {
    for (const Target& target : open) {
      if (work_ >= limits_.all_states || limits_.search.deadline.Passed()) {
        state.undecided = true;
        return false;
      }
      SearchLimits limits{std::min(limits_.search.states, limits_.all_states - work_), limits_.search.deadline};
      SearchResult result = SearchTarget(*model_, target, {.data = keep_data}, limits);
      outcome_.states += result.states;
      work_ += result.states + model_->places.size() / 4;  // setting a search up looks at the whole model
      if (result.verdict == Verdict::kFound) {
        Engine engine = keep_data ? Engine::kSearchDataKept : Engine::kSearchDataFree;
        outcome_.races.push_back(
            {pending.site_a, pending.site_b, pending.word, target, std::move(result.witness), engine});
        return true;
      }
      if (!keep_data && result.verdict == Verdict::kLimit) state.undecided = true;
    }
  }
  return false;
}

}  // namespace heddle::predict
