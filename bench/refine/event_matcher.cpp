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

std::vector<Section> Sections(const Trace& trace) {
  std::vector<Section> all;
  for (const Event& event : trace.events) {
    if (event.is_sync()) all.emplace_back();
    if (event.is_sync() || event.kind() == EventKind::kEnvironment || all.empty()) continue;
    all.back().push_back({event.kind() == EventKind::kWrite, event.place, event.size(), event.value});
  }
  return all;
}

class SectionMatcher {
 public:
  SectionMatcher(const Section& original, const Section& transformed, uint64_t& steps)
      : original_(original), transformed_(transformed), used_(original.size()), steps_(steps) {}

  bool Match(size_t at) {
    if (!Pay(1)) return false;
    if (at == transformed_.size()) return RestCanGo();
    for (size_t k = 0; k < original_.size() && Pay(1); ++k) {
      if (used_[k] || !Same(original_[k], transformed_[at]) || !CanMoveUp(k)) continue;
      used_[k] = true;
      if (Match(at + 1)) return true;
      used_[k] = false;
    }
    return !transformed_[at].write && Match(at + 1);  // an introduced read
  }

 private:
  // One unit for each comparison of two events; false when none is left.
  bool Pay(uint64_t units) const {
    steps_ = steps_ > units ? steps_ - units : 0;
    return steps_ > 0;
  }
  // Over everything before it that stays, or that can be eliminated.
  bool CanMoveUp(size_t k) const {
    if (!Pay(k)) return false;
    for (size_t j = 0; j < k; ++j) {
      if (!used_[j] && !Commute(original_[j], original_[k]) && !CanGo(j)) return false;
    }
    return true;
  }
  // A read, a write that is overwritten, or one of the value that was written before.
  bool CanGo(size_t j) const {
    if (!original_[j].write) return true;
    if (!Pay(original_.size())) return false;
    for (size_t k = j + 1; k < original_.size(); ++k) {
      const Access& later = original_[k];
      if (later.write && later.place <= original_[j].place &&
          later.place + later.size >= original_[j].place + original_[j].size) {
        return true;
      }
    }
    for (size_t k = j; k-- > 0;) {
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
