#include "predict/acquisition.h"

#include <algorithm>

namespace heddle::predict {
namespace {

void Use(HeldSince& held, uint32_t lock, bool shared) {
  auto at = std::lower_bound(held.used.begin(), held.used.end(), std::pair(lock, false),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
  if (at != held.used.end() && at->first == lock) {
    at->second = at->second && shared;
  } else {
    held.used.insert(at, {lock, shared});
  }
}

// Whether `held` has been followed by a use of the lock that would not go with somebody else's holding it.
bool HasUsed(const HeldSince& held, uint32_t lock, bool held_shared) {
  return std::any_of(held.used.begin(), held.used.end(),
                     [&](const auto& use) { return use.first == lock && (!use.second || !held_shared); });
}

}  // namespace

std::vector<HeldSince> HistoryAt(const TraceModel& model, Place place) {
  std::vector<HeldSince> all;
  const std::vector<SyncEvent>& events = model.threads[place.thread];
  for (uint32_t i = 0; i < place.position; ++i) {
    const SyncEvent& event = events[i];
    if (Takes(event.act)) {
      bool shared = event.act == Act::kReadLock;
      for (HeldSince& held : all) Use(held, event.object, shared);
      all.push_back({event.object, shared, {}});
    } else if (event.act == Act::kUnlock || event.act == Act::kReadUnlock || event.act == Act::kWait) {
      std::erase_if(all, [&](const HeldSince& held) { return held.lock == event.object; });
    }
  }
  return all;
}

bool HistoriesExclude(const std::vector<HeldSince>& a, const std::vector<HeldSince>& b) {
  for (const HeldSince& x : a) {
    for (const HeldSince& y : b) {
      if (HasUsed(x, y.lock, y.shared) && HasUsed(y, x.lock, x.shared)) return true;
    }
  }
  return false;
}

bool HistoriesExclude(const TraceModel& model, const Target& target) {
  std::vector<std::vector<HeldSince>> histories;
  for (const Place& place : target) histories.push_back(HistoryAt(model, place));
  for (size_t i = 0; i < histories.size(); ++i) {
    for (size_t j = i + 1; j < histories.size(); ++j) {
      if (HistoriesExclude(histories[i], histories[j])) return true;
    }
  }
  return false;
}

}  // namespace heddle::predict
