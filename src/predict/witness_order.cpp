// Two reasons order operations of different threads in every run that performs this witness's operations with the same
// locks in the same hands: an operation cannot come before what it needs of another thread (its start, the end that it
// joins, the signal that woke it), and a lock is taken after it was let go. Of a lock, only the last release before is
// named: the earlier ones follow from it. Reads of a read-write lock come after the last writer, not after each other.
#include "predict/witness_order.h"

#include <fmt/format.h>

#include <map>

#include "trace/event.h"

namespace heddle::predict {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

struct Released {
  uint32_t any = kNowhere;
  uint32_t write = kNowhere;
};

class Orders {
 public:
  Orders(const TraceModel& model, std::span<const Place> places) : model_(model), places_(places) {}

  std::vector<PlaceOrder> Take() {
    for (uint32_t i = 0; i < places_.size(); ++i) {
      AfterNeeds(i);
      AfterRelease(i);
      drawn_[places_[i]] = i;
      NoteRelease(i);
    }
    return std::move(orders_);
  }

 private:
  const SyncEvent& At(uint32_t i) const { return model_.At(places_[i]); }

  void Add(uint32_t from, uint32_t to) {
    if (from == kNowhere || places_[from].thread == places_[to].thread) return;
    PlaceOrder order{from, to,
                     fmt::format("{} before {}", trace::KindName(At(from).kind), trace::KindName(At(to).kind))};
    if (orders_.empty() || !(orders_.back() == order)) orders_.push_back(std::move(order));
  }

  void AfterNeeds(uint32_t i) {
    for (const Need& need : model_.Must(At(i))) {
      if (need.count == 0) continue;
      auto found = drawn_.find({need.thread, need.count - 1});
      if (found != drawn_.end()) Add(found->second, i);
    }
  }

  void AfterRelease(uint32_t i) {
    const SyncEvent& event = At(i);
    if (!Takes(event.act)) return;
    auto found = released_.find(event.object);
    if (found == released_.end()) return;
    Add(event.act == Act::kReadLock ? found->second.write : found->second.any, i);
  }

  void NoteRelease(uint32_t i) {
    const SyncEvent& event = At(i);
    bool write = event.act == Act::kUnlock || event.act == Act::kWait;
    if (write) released_[event.object].write = i;
    if (write || event.act == Act::kReadUnlock) released_[event.object].any = i;
  }

  const TraceModel& model_;
  std::span<const Place> places_;
  std::map<Place, uint32_t> drawn_;
  std::map<uint32_t, Released> released_;
  std::vector<PlaceOrder> orders_;
};

}  // namespace

std::vector<PlaceOrder> WitnessOrder(const TraceModel& model, std::span<const Place> places) {
  return Orders(model, places).Take();
}

uint32_t RecordedAt(const TraceModel& model, Place place, bool segment) {
  if (segment && place.position == 0) return 0;
  if (segment) --place.position;
  if (place.position >= model.threads[place.thread].size()) return 0;
  return model.At(place).order + 1;
}

}  // namespace heddle::predict
