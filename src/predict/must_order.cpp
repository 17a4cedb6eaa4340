#include "predict/must_order.h"

#include <algorithm>

namespace heddle::predict {
namespace {

void Join(std::vector<uint32_t>& into, const std::vector<uint32_t>& other) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

}  // namespace

MustOrder::MustOrder(const TraceModel& model) : changes_(model.threads.size()) {
  size_t threads = model.threads.size();
  clocks_.emplace_back(threads);
  std::vector<std::vector<uint32_t>> now(threads, std::vector<uint32_t>(threads));
  for (const Place& place : model.places) {
    const SyncEvent& event = model.At(place);
    std::vector<uint32_t>& clock = now[place.thread];
    bool changed = false;
    for (const Need& need : model.Must(event)) {
      if (clock[need.thread] >= need.count) continue;
      changed = true;
      // What the other thread knew when it had performed `count` operations.
      std::vector<Change>& theirs = changes_[need.thread];
      auto at = std::upper_bound(theirs.begin(), theirs.end(), need.count,
                                 [](uint32_t position, const Change& change) { return position < change.position; });
      if (at != theirs.begin()) Join(clock, clocks_[std::prev(at)->clock]);
      clock[need.thread] = std::max(clock[need.thread], need.count);
    }
    if (!changed) continue;
    changes_[place.thread].push_back({place.position + 1, static_cast<uint32_t>(clocks_.size())});
    clocks_.push_back(clock);
  }
}

uint32_t MustOrder::Before(Place segment, uint32_t other) const {
  if (other == segment.thread) return segment.position;
  const std::vector<Change>& own = changes_[segment.thread];
  auto at = std::upper_bound(own.begin(), own.end(), segment.position,
                             [](uint32_t position, const Change& change) { return position < change.position; });
  return at == own.begin() ? 0 : clocks_[std::prev(at)->clock][other];
}

}  // namespace heddle::predict
