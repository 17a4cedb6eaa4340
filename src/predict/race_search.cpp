#include "predict/race_search.h"

#include <algorithm>
#include <unordered_set>

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

RaceOutcome RaceSearch::Run() {
  std::vector<std::vector<LoggedAccess>> lists = SharedWords();
  for (const std::vector<LoggedAccess>& list : lists) TryWord(list.front().word, GroupsOf(list));
  for (const auto& [key, state] : pairs_) {
    if (state.found) continue;
    ++(state.undecided ? outcome_.not_decided : outcome_.refuted);
  }
  outcome_.reduction.candidate_pairs = pairs_.size();
  return std::move(outcome_);
}

void RaceSearch::TryWord(uint32_t word, const std::vector<Group>& groups) {
  for (size_t i = 0; i < groups.size(); ++i) {
    for (size_t j = i + 1; j < groups.size(); ++j) {
      if (!MayRace(groups[i].site, groups[j].site)) continue;
      bool all = true;
      if (Instances(groups[i], groups[j], &all).empty()) continue;
      PairState& state = pairs_[KeyOf(groups[i].site, groups[j].site)];
      if (state.found) continue;
      if (state.attempts++ == limits_.attempts) state.undecided = true;
      if (state.attempts <= limits_.attempts) TryPair(word, groups[i], groups[j], state);
    }
  }
}

void RaceSearch::TryPair(uint32_t word, const Group& a, const Group& b, PairState& state) {
  state.found = TrySyncPreserving(word, a, b) || TrySearch(word, a, b, state);
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

bool RaceSearch::TrySearch(uint32_t word, const Group& a, const Group& b, PairState& state) {
  bool all = true;
  std::vector<Target> instances = Instances(a, b, &all);
  bool decided = all;
  for (bool keep_data : {true, false}) {
    for (const Target& target : instances) {
      SearchResult result = SearchTarget(*model_, target, {.data = keep_data}, limits_.search);
      outcome_.states += result.states;
      if (result.verdict == Verdict::kFound) {
        Engine engine = keep_data ? Engine::kSearchDataKept : Engine::kSearchDataFree;
        outcome_.races.push_back({a.site, b.site, word, target, std::move(result.witness), engine});
        return true;
      }
      if (!keep_data && result.verdict == Verdict::kLimit) decided = false;
    }
  }
  state.undecided = state.undecided || !decided;
  return false;
}

}  // namespace heddle::predict
