#include "refine/event_matcher.h"

#include <vector>

namespace heddle::refine::bench {
namespace {

struct Access {
  bool write;
  uint32_t place, size;
  uint64_t value;
};
using Section = std::vector<Access>;

bool Overlap(const Access& a, const Access& b) { return a.place < b.place + b.size && b.place < a.place + a.size; }
bool Commute(const Access& a, const Access& b) { return !Overlap(a, b) || (!a.write && !b.write); }
bool Same(const Access& a, const Access& b) {
  return a.write == b.write && a.place == b.place && a.size == b.size && a.value == b.value;
}

// One access for each memory location that the event touches: a vector store is one store for each element.
void AddByLocation(const Trace& trace, const Event& event, Section& section) {
  const Symbol& symbol = *trace.SymbolAt(event.place);
  auto location = [&](uint32_t k) { return symbol.bytes[event.place - symbol.base + k].location; };
  for (uint32_t k = 0; k < event.size();) {
    uint32_t end = k + 1;
    while (end < event.size() && location(end) == location(k)) ++end;
    uint64_t value = event.value >> (8 * k);
    if (end - k < 8) value &= (uint64_t{1} << (8 * (end - k))) - 1;
    section.push_back({event.kind() == EventKind::kWrite, event.place + k, end - k, value});
    k = end;
  }
}

std::vector<Section> Sections(const Trace& trace) {
  std::vector<Section> all;
  for (const Event& event : trace.events) {
    if (event.is_sync()) all.emplace_back();
    if (event.is_sync() || event.kind() == EventKind::kEnvironment || all.empty()) continue;
    AddByLocation(trace, event, all.back());
  }
  return all;
}

class SectionMatcher {
 public:
  SectionMatcher(const Section& original, const Section& transformed, uint64_t& steps)
      : original_(original), transformed_(transformed), used_(original.size()), steps_(steps) {}

  bool Match(size_t at) {
    if (at == transformed_.size()) return RestCanGo();
    for (size_t k = 0; k < original_.size(); ++k) {
      if (used_[k]) continue;
      if (!Pay()) return false;
      if (!Same(original_[k], transformed_[at]) || !CanMoveUp(k)) continue;
      used_[k] = true;
      if (Match(at + 1)) return true;
      used_[k] = false;
    }
    return !transformed_[at].write && Match(at + 1);  // an introduced read
  }

 private:
  // One unit for each comparison of two events; false when none is left.
  bool Pay() const {
    if (steps_ > 0) --steps_;
    return steps_ > 0;
  }
  // Over everything before it that stays, or that can be eliminated.
  bool CanMoveUp(size_t k) const {
    for (size_t j = 0; j < k; ++j) {
      if (used_[j]) continue;
      if (!Pay() || (!Commute(original_[j], original_[k]) && !CanGo(j))) return false;
    }
    return true;
  }
  // A read, a write that is overwritten, or one of the value that was written before.
  bool CanGo(size_t j) const {
    if (!original_[j].write) return true;
    for (size_t k = j + 1; k < original_.size(); ++k) {
      if (!Pay()) return false;
      const Access& later = original_[k];
      if (later.write && later.place <= original_[j].place &&
          later.place + later.size >= original_[j].place + original_[j].size) {
        return true;
      }
    }
    for (size_t k = j; k-- > 0;) {
      if (!Pay()) return false;
      if (original_[k].write && Overlap(original_[k], original_[j])) return Same(original_[k], original_[j]);
      if (!original_[k].write && original_[k].place == original_[j].place && original_[k].size == original_[j].size) {
        return original_[k].value == original_[j].value;
      }
    }
    return false;
  }
  bool RestCanGo() const {
    for (size_t j = 0; j < original_.size(); ++j) {
      if (!used_[j] && !CanGo(j)) return false;
    }
    return true;
  }

  const Section& original_;
  const Section& transformed_;
  std::vector<bool> used_;
  uint64_t& steps_;
};

}  // namespace

EventMatch MatchEvents(const Trace& original, const Trace& transformed, uint64_t max_steps) {
  std::vector<Section> a = Sections(original);
  std::vector<Section> b = Sections(transformed);
  if (a.size() != b.size()) return EventMatch::kDiffers;
  uint64_t steps = max_steps;
  for (size_t i = 0; i < a.size(); ++i) {
    if (SectionMatcher(a[i], b[i], steps).Match(0)) continue;
    return steps == 0 ? EventMatch::kGaveUp : EventMatch::kDiffers;
  }
  return EventMatch::kMatches;
}

}  // namespace heddle::refine::bench
