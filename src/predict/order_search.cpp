#include "predict/order_search.h"

namespace heddle::predict {
namespace {

// The operation is only performed after `need`.
void AddNeed(TraceModel& model, Place place, Need need) {
  SyncEvent& event = model.threads[place.thread][place.position];
  std::vector<Need> all(model.Must(event).begin(), model.Must(event).end());
  all.push_back(need);
  std::span<const Need> data = model.Data(event);
  all.insert(all.end(), data.begin(), data.end());
  event.needs = static_cast<uint32_t>(model.needs.size());
  ++event.must;
  model.needs.insert(model.needs.end(), all.begin(), all.end());
}

bool Exists(const TraceModel& model, const Part& part, bool ends) {
  if (!part.operation && part.place.position == 0) return false;
  size_t size = model.threads[part.place.thread].size();
  return part.First() < size && (!ends || part.Last() < size);
}

}  // namespace

SearchResult SearchOrder(const TraceModel& model, const std::vector<Part>& parts, const Constraints& constraints,
                         SearchLimits limits) {
  TraceModel ordered = model;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!Exists(model, parts[i], i + 1 < parts.size())) return {};
    if (i == 0) continue;
    const Place& before = parts[i - 1].place;
    AddNeed(ordered, {parts[i].place.thread, parts[i].First()}, {before.thread, parts[i - 1].Last() + 1});
  }
  const Part& last = parts.back();
  return SearchTarget(ordered, {{last.place.thread, last.First() + 1}}, constraints, limits);
}

bool RunHasOrder(const TraceModel& model, const std::vector<Part>& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].place.thread >= model.threads.size() || !Exists(model, parts[i], i + 1 < parts.size())) return false;
    if (i == 0) continue;
    uint32_t ended = model.threads[parts[i - 1].place.thread][parts[i - 1].Last()].order;
    if (model.threads[parts[i].place.thread][parts[i].First()].order < ended) return false;
  }
  return true;
}

}  // namespace heddle::predict
