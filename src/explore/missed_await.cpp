#include "explore/missed_await.h"

#include <algorithm>
#include <vector>

namespace heddle::explore {
namespace {

// The stores to the location in modification order: each stands right behind the one that it was put behind.
std::vector<size_t> StoresTo(const HappensBefore& order, uint64_t object) {
  std::vector<size_t> stores;
  for (size_t i = 0; i < order.size(); ++i) {
    const wire::ExploredEvent& event = order.event(i);
    if (!wire::IsC11(event) || event.object != object || event.own == 0) continue;
    auto behind =
        std::find_if(stores.begin(), stores.end(), [&](size_t s) { return order.event(s).own == event.value; });
    stores.insert(event.value == 0 || behind == stores.end() ? stores.begin() : behind + 1, i);
  }
  return stores;
}

}  // namespace

bool MayMissAwait(const HappensBefore& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    const wire::ExploredEvent& await = order.event(i);
    if (!wire::IsC11(await) || await.await_bits == 0) continue;
    std::vector<size_t> stores = StoresTo(order, await.object);
    auto last = std::find_if(stores.rbegin(), stores.rend(), [&](size_t s) { return s != i && !order.Before(i, s); });
    if (last == stores.rend()) continue;  // it read what was there first
    const wire::ExploredEvent& store = order.event(*last);
    if (store.own != await.value && !wire::AwaitMet(await, store.before, await.operand)) return true;
  }
  return false;
}

}  // namespace heddle::explore
