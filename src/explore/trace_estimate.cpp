#include "explore/trace_estimate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "sched/random.h"

namespace heddle::explore {
namespace {

using wire::Role;

constexpr size_t kMostEvents = 600;  // a tenth of a second

// Which events come before which, for good; closed under "before that".
class Before {
 public:
  explicit Before(size_t events) : words_((events + 63) / 64), bits_(events * words_, 0) {}

  bool Has(size_t first, size_t second) const { return (Row(second)[first / 64] >> first % 64 & 1U) != 0; }
  // Behind `second` nothing is known yet.
  void AddAtEnd(size_t first, size_t second) { Join(second, first); }
  // `second` does not come before `first`.
  void Add(size_t first, size_t second) {
    if (Has(first, second)) return;
    for (size_t i = 0; i < bits_.size() / words_; ++i) {
      if (i == second || Has(second, i)) Join(i, first);
    }
  }
  // Grows along every chain.
  uint32_t Count(size_t event) const {
    uint32_t count = 0;
    for (size_t w = 0; w < words_; ++w) count += static_cast<uint32_t>(std::popcount(Row(event)[w]));
    return count;
  }

 private:
  const uint64_t* Row(size_t event) const { return bits_.data() + event * words_; }
  void Join(size_t event, size_t other) {
    uint64_t* row = bits_.data() + event * words_;
    for (size_t w = 0; w < words_; ++w) row[w] |= Row(other)[w];
    row[other / 64] |= uint64_t{1} << other % 64;
  }

  size_t words_;
  std::vector<uint64_t> bits_;
};

bool IsAccess(const ExploredEvent& event) { return event.bytes != 0 && event.role == Role::kAccess; }

// Which orders are possible at all depends on values.
bool Unknown(const ExploredEvent& event) { return wire::IsC11(event) || event.role == Role::kAwait; }

// From the lock to the unlock of the same thread.
struct Section {
  size_t begin;
  size_t end;
};

// What is open in an execution, and what is not.
class OpenOrders {
 public:
  explicit OpenOrders(const std::vector<ExploredEvent>& events) : events_(events), before_(events.size()) {
    FindSections();
    std::map<uint32_t, size_t> last;
    for (size_t j = 0; j < events.size(); ++j) {
      if (auto own = last.find(events[j].thread); own != last.end()) before_.AddAtEnd(own->second, j);
      last[events[j].thread] = j;
      FixBefore(j);
    }
  }

  // The weight of one walk; 0 when it led nowhere.
  long double Walk(sched::Random& random) {
    Before before = before_;
    weight_ = 1;
    for (size_t e = 0; e < events_.size() && weight_ > 0; ++e) {
      if (IsAccess(events_[e])) PlaceAccess(before, e, random);
      if (auto own = section_of_.find(e); own != section_of_.end()) PlaceSection(before, own->second, random);
    }
    return weight_;
  }

 private:
  // Locks that only lock and unlock use, by sections that end in the same thread.
  void FindSections() {
    std::map<uint64_t, std::vector<Section>> open;
    std::map<uint64_t, bool> plain;
    auto other_use = [&](uint64_t object) {
      if (object != 0) plain[object] = false;
    };
    for (size_t i = 0; i < events_.size(); ++i) {
      const ExploredEvent& event = events_[i];
      if (event.bytes != 0) continue;
      other_use(wire::SecondObject(event));
      std::vector<Section>& sections = open[event.object];
      plain.emplace(event.object, true);
      bool inside = !sections.empty() && sections.back().end == events_.size();
      if (event.role == Role::kLock && !event.Has(wire::kNoHold) && !event.Has(wire::kShared) && !inside) {
        sections.push_back({i, events_.size()});
      } else if (event.role == Role::kUnlock && inside && events_[sections.back().begin].thread == event.thread) {
        sections.back().end = i;
      } else {
        plain[event.object] = false;
      }
    }
    for (auto& [object, sections] : open) {
      if (object == 0 || !plain[object] || sections.empty() || sections.back().end == events_.size()) continue;
      for (const Section& section : sections) section_of_[section.begin] = section;
      locks_[object] = std::move(sections);
    }
  }

  bool IsOpen(size_t i, size_t j) const {
    const ExploredEvent& a = events_[i];
    const ExploredEvent& b = events_[j];
    if (a.Has(wire::kGlobal) || b.Has(wire::kGlobal)) return false;
    if (IsAccess(a) && IsAccess(b)) return true;
    return a.object == b.object && locks_.contains(a.object);
  }

  void FixBefore(size_t j) {
    for (size_t i = 0; i < j; ++i) {
      if (wire::Dependent(events_[i], events_[j]) && !IsOpen(i, j)) before_.AddAtEnd(i, j);
    }
  }

  // Whether a choice with this probability is made; the weight then has it, or its opposite.
  bool Chance(double probability, sched::Random& random) {
    constexpr double kSteps = 1U << 30U;
    bool made = static_cast<double>(random.Below(static_cast<uint64_t>(kSteps))) < probability * kSteps;
    weight_ /= made ? probability : 1 - probability;
    return made;
  }

  // How many events of the thread from this one on go into the same row, this one too.
  size_t LeftInRow(size_t e) const {
    size_t left = 0;
    for (size_t i = e; i < events_.size(); ++i) {
      bool own = events_[i].thread == events_[e].thread;
      if (own && IsAccess(events_[i]) && wire::Meet(events_[i], events_[e])) ++left;
    }
    return left;
  }

  // Writes of one location stand in a row. Whether the event comes before the first of those that it may come before is
  // chosen as if all ways to merge what its thread has left with them were alike.
  void PlaceAccess(Before& before, size_t e, sched::Random& random) {
    std::vector<size_t> writes;
    std::vector<size_t> reads;
    for (size_t i = 0; i < e; ++i) {
      if (!IsAccess(events_[i]) || events_[i].thread == events_[e].thread) continue;
      if (wire::Dependent(events_[i], events_[e])) (events_[i].Has(wire::kWrites) ? writes : reads).push_back(i);
    }
    auto known = [&](size_t i) { return before.Has(i, e) || before.Has(e, i); };
    std::erase_if(writes, known);
    std::sort(writes.begin(), writes.end(), [&](size_t a, size_t b) { return before.Count(a) < before.Count(b); });
    size_t left = writes.empty() ? 0 : LeftInRow(e);
    while (!writes.empty()) {
      bool first = Chance(static_cast<double>(left) / static_cast<double>(left + writes.size()), random);
      first ? before.Add(e, writes[0]) : before.Add(writes[0], e);
      std::erase_if(writes, known);
    }
    for (size_t read : reads) {
      if (known(read)) continue;
      Chance(0.5, random) ? before.Add(e, read) : before.Add(read, e);
    }
  }

  // The same for sections, which come one behind the other as a whole.
  void PlaceSection(Before& before, const Section& own, sched::Random& random) {
    std::vector<Section> others;
    size_t left = 0;
    for (const Section& other : locks_[events_[own.begin].object]) {
      bool same = events_[other.begin].thread == events_[own.begin].thread;
      if (other.begin < own.begin && !same) others.push_back(other);
      if (other.begin >= own.begin && same) ++left;
    }
    std::sort(others.begin(), others.end(),
              [&](const Section& a, const Section& b) { return before.Count(a.begin) < before.Count(b.begin); });
    while (!others.empty() && weight_ > 0) {
      std::erase_if(others, [&](const Section& other) { return !IsUndecided(before, own, other); });
      if (others.empty()) return;
      Section other = others[0];
      bool first = Chance(static_cast<double>(left) / static_cast<double>(left + others.size()), random);
      first ? before.Add(own.end, other.begin) : before.Add(other.end, own.begin);
    }
  }

  // Adds the order of the two when there is one way only; none: the walk is over.
  bool IsUndecided(Before& before, const Section& own, const Section& other) {
    bool may_follow = !before.Has(own.begin, other.end);
    bool may_precede = !before.Has(other.begin, own.end);
    if (may_follow && may_precede) return true;
    if (may_follow) before.Add(other.end, own.begin);
    if (may_precede) before.Add(own.end, other.begin);
    if (!may_follow && !may_precede) weight_ = 0;
    return false;
  }

  const std::vector<ExploredEvent>& events_;
  Before before_;
  std::map<size_t, Section> section_of_;            // by its first event
  std::map<uint64_t, std::vector<Section>> locks_;  // in their order
  long double weight_ = 1;
};

}  // namespace

std::optional<TraceEstimate> EstimateTraces(const Execution& execution) {
  const std::vector<ExploredEvent>& events = execution.events;
  bool whole = execution.end == End::kDone || execution.end == End::kDeadlock || execution.end == End::kBlocked;
  if (!whole || events.size() > kMostEvents || std::any_of(events.begin(), events.end(), Unknown)) {
    return std::nullopt;
  }
  OpenOrders orders(events);
  // About 20 ms: a walk places each event, which looks at the rows of all.
  constexpr double kEffort = 2e7;
  double n = static_cast<double>(events.size()) + 1;
  auto walks = static_cast<uint64_t>(std::clamp(kEffort / (n * n * (1 + n / 64)), 20.0, 1000.0));
  uint64_t seed = 0;
  for (const ExploredEvent& event : events) seed = seed * 31 + event.thread;
  sched::Random random(seed);
  long double sum = 0;
  long double squares = 0;
  for (uint64_t i = 0; i < walks; ++i) {
    long double weight = orders.Walk(random);
    sum += weight;
    squares += weight * weight;
  }
  auto count = static_cast<long double>(walks);
  long double mean = sum / count;
  if (mean < 1) return std::nullopt;
  long double variance = std::max(0.0L, squares / count - mean * mean);
  constexpr long double kMost = 1e300L;  // and whatever is above it
  return TraceEstimate{static_cast<double>(std::min(mean, kMost)),
                       static_cast<double>(std::min(std::sqrt(variance / (count - 1)), kMost))};
}

}  // namespace heddle::explore
