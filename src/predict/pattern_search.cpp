#include "predict/pattern_search.h"

#include <algorithm>

#include "trace/user_event.h"

namespace heddle::predict {
namespace {

// The five patterns of one variable that no order of whole regions shows: another thread's access between two.
bool IsUnserialisable(bool first_writes, bool between_writes, bool last_writes) {
  return between_writes || (first_writes && last_writes);
}

bool SharesLock(const Locksets& locksets, uint32_t a, uint32_t b) { return locksets.Exclude(a, b); }

}  // namespace

PatternSearch::PatternSearch(const ModelledTrace* trace, PatternLimits limits)
    : trace_(trace), limits_(limits), must_(trace->model), regions_(trace->model.threads.size()) {
  FindRegions();
}

Part PatternSearch::PartOf(const LoggedAccess& access) const {
  return {{ThreadOf(access), access.segment}, SiteOf(access).point.atomic};
}

void PatternSearch::FindRegions() {
  std::vector<uint32_t> begin(regions_.size(), kNone);
  for (const CustomEvent& event : trace_->model.custom) {
    auto text = trace_->strings.find(event.name);
    auto shape = text == trace_->strings.end() ? std::nullopt : trace::ShapeOfUserEvent(text->second);
    if (!shape) continue;
    const Place& place = trace_->model.places[event.order];
    if (shape->name == "atomic_begin" && begin[place.thread] == kNone) begin[place.thread] = place.position;
    if (shape->name != "atomic_end" || begin[place.thread] == kNone) continue;
    regions_[place.thread].push_back({begin[place.thread], place.position});
    begin[place.thread] = kNone;
  }
}

bool PatternSearch::InRegion(const Region& region, const LoggedAccess& access) const {
  bool atomic = SiteOf(access).point.atomic;
  return access.segment > region.begin && (atomic ? access.segment < region.end : access.segment <= region.end);
}

bool PatternSearch::InOneRegion(const LoggedAccess& a, const LoggedAccess& b) const {
  const std::vector<Region>& all = regions_[ThreadOf(a)];
  return std::any_of(all.begin(), all.end(),
                     [&](const Region& region) { return InRegion(region, a) && InRegion(region, b); });
}

bool PatternSearch::Inferred(const LoggedAccess& a, const LoggedAccess& b) const {
  const AccessPoint& x = SiteOf(a).point;
  const AccessPoint& y = SiteOf(b).point;
  if (!limits_.infer || x.write || !y.write || x.stack != y.stack || a.segment == b.segment) return false;
  if (x.atomic || y.atomic) {
    bool store = y.atomic && trace_->model.At({y.thread, b.segment}).kind == trace::Kind::AtomicStore;
    return x.atomic && store;
  }
  return SharesLock(trace_->locksets, x.lockset, y.lockset);
}

void PatternSearch::Atomicity(const Accesses& accesses) {
  for (size_t i = 0; i < accesses.size() && !late_; ++i) {
    late_ = limits_.search.deadline.Passed();
    uint32_t seen = 0;
    for (size_t j = i + 1; j < accesses.size() && seen < limits_.distance; ++j) {
      if (ThreadOf(accesses[j]) != ThreadOf(accesses[i])) continue;
      bool next = seen++ == 0;
      if (InOneRegion(accesses[i], accesses[j]) || (next && Inferred(accesses[i], accesses[j]))) {
        Between(accesses[i], accesses[j], accesses);
      }
    }
  }
}

void PatternSearch::Between(const LoggedAccess& first, const LoggedAccess& last, const Accesses& accesses) {
  for (const LoggedAccess& other : accesses) {
    if (ThreadOf(other) == ThreadOf(first) || SiteOf(other).frees) continue;
    uint8_t mask = SiteOf(other).mask & SiteOf(first).mask & SiteOf(last).mask;
    bool wrong = IsUnserialisable(SiteOf(first).point.write, SiteOf(other).point.write, SiteOf(last).point.write);
    if (mask != 0 && wrong) Try(Pattern::kAtomicity, {first, other, last}, {});
  }
}

// A free is the last access of its word. Without a common lock the two race, which is another finding.
void PatternSearch::HeapUses(const Accesses& accesses) {
  const LoggedAccess& last = accesses.back();
  uint32_t block = trace_->log.words()[last.word].block;
  if (block == kNone) return;
  if (SiteOf(last).frees) {
    for (const LoggedAccess& use : accesses) {
      if (late_) return;
      bool locked = SharesLock(trace_->locksets, SiteOf(use).point.lockset, SiteOf(last).point.lockset);
      if (ThreadOf(use) != ThreadOf(last) && locked) Try(Pattern::kUseAfterFree, {last, use}, {});
    }
  }
  if (!trace_->log.blocks()[block].zeroed) BeforeInit(accesses, trace_->log.blocks()[block]);
}

// The first access to these bytes sets them, and up to the read nobody else does. The block is there before it is read.
void PatternSearch::BeforeInit(const Accesses& accesses, const HeapBlock& block) {
  constexpr size_t kLookEvery = 64;
  for (size_t i = 0; i < accesses.size() && !late_; ++i) {
    if (i % kLookEvery == 0) late_ = limits_.search.deadline.Passed();
    const LoggedAccess& use = accesses[i];
    const AccessPoint& point = SiteOf(use).point;
    if (point.write) continue;
    const LoggedAccess* first = nullptr;
    bool others = false;
    for (size_t j = 0; j < i; ++j) {
      if ((SiteOf(accesses[j]).mask & SiteOf(use).mask) == 0) continue;
      if (first == nullptr) first = &accesses[j];
      others = others || (SiteOf(accesses[j]).point.write && ThreadOf(accesses[j]) != ThreadOf(*first));
    }
    if (first == nullptr || others || !SiteOf(*first).point.write || ThreadOf(*first) == point.thread) continue;
    if (!SharesLock(trace_->locksets, point.lockset, SiteOf(*first).point.lockset)) continue;
    std::vector<Part> before;
    if (block.thread != point.thread) before.push_back({{block.thread, block.segment}, false});
    Try(Pattern::kUseBeforeInit, {use, *first}, before);
  }
}

void PatternSearch::Try(Pattern pattern, const std::vector<LoggedAccess>& order, const std::vector<Part>& before) {
  Key key = {static_cast<uint64_t>(pattern)};
  PredictedPattern found;
  found.pattern = pattern;
  found.word = order[0].word;
  std::vector<Part> parts = before;
  for (const LoggedAccess& access : order) {
    key.push_back(SiteOf(access).point.pc);
    found.sites.push_back(access.site);
    found.parts.push_back(PartOf(access));
    parts.push_back(found.parts.back());
  }
  for (size_t i = 1; i < parts.size(); ++i) {
    if (must_.Precedes(parts[i].place, parts[i - 1].place)) return;
  }
  State& state = known_[key];
  if (state.found) return;
  late_ = late_ || limits_.search.deadline.Passed();
  if (late_ || state.tried == limits_.instances || searches_ >= limits_.searches) {
    state.undecided = true;
    return;
  }
  ++state.tried;
  ++searches_;
  for (bool keep_data : {true, false}) {
    SearchResult result = SearchOrder(trace_->model, parts, {.data = keep_data}, limits_.search);
    outcome_.states += result.states;
    if (!keep_data && result.verdict == Verdict::kLimit) state.undecided = true;
    if (result.verdict != Verdict::kFound) continue;
    state.found = true;
    found.witness = std::move(result.witness);
    found.engine = keep_data ? Engine::kSearchDataKept : Engine::kSearchDataFree;
    outcome_.patterns.push_back(std::move(found));
    return;
  }
}

PatternOutcome PatternSearch::Run() {
  std::vector<Accesses> by_word(trace_->log.words().size());
  std::vector<bool> shared(by_word.size());
  for (const LoggedAccess& access : trace_->log.accesses()) {
    Accesses& list = by_word[access.word];
    if (!list.empty() && ThreadOf(list.back()) != ThreadOf(access)) shared[access.word] = true;
    list.push_back(access);
  }
  bool regions = limits_.infer || std::any_of(regions_.begin(), regions_.end(),
                                              [](const auto& of_thread) { return !of_thread.empty(); });
  for (size_t word = 0; word < by_word.size(); ++word) {
    late_ = late_ || limits_.search.deadline.Passed();
    if (!shared[word] || late_) continue;
    if (regions) Atomicity(by_word[word]);
    HeapUses(by_word[word]);
  }
  if (late_) ++outcome_.not_decided;  // at least
  for (const auto& [key, state] : known_) {
    if (!state.found) ++(state.undecided ? outcome_.not_decided : outcome_.refuted);
  }
  return std::move(outcome_);
}

}  // namespace heddle::predict
