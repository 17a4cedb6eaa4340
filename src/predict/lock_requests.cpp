#include <algorithm>
#include <map>
#include <tuple>

#include "predict/deadlock_search.h"

namespace heddle::predict {

std::vector<LockRequest> LockRequests(const TraceModel& model) {
  using Held = std::vector<std::pair<uint32_t, bool>>;
  std::map<std::tuple<uint32_t, uint32_t, bool, Held>, std::vector<uint32_t>> found;
  for (uint32_t thread = 0; thread < model.threads.size(); ++thread) {
    Held held;
    const std::vector<SyncEvent>& events = model.threads[thread];
    for (uint32_t position = 0; position < events.size(); ++position) {
      const SyncEvent& event = events[position];
      if (Takes(event.act)) {
        bool shared = event.act == Act::kReadLock;
        if (!held.empty()) found[{thread, event.object, shared, held}].push_back(position);
        held.insert(std::upper_bound(held.begin(), held.end(), std::pair(event.object, shared)),
                    {event.object, shared});
      } else if (event.act == Act::kUnlock || event.act == Act::kReadUnlock || event.act == Act::kWait) {
        std::erase_if(held, [&](const auto& lock) { return lock.first == event.object; });
      }
    }
  }
  std::vector<LockRequest> requests;
  for (auto& [key, positions] : found) {
    requests.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key), std::move(positions)});
  }
  return requests;
}

}  // namespace heddle::predict
