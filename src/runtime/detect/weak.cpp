#include "runtime/detect/weak.h"

#include <new>

#include "runtime/detect/arena.h"

namespace heddle::rt::detect {
namespace {

constexpr uint32_t kFirstCapacity = 4;
// All locations together; about 300 bytes each.
constexpr uint32_t kMaxElements = 1U << 19U;
uint32_t g_elements = 0;

void Reset(StoreElement& element) {
  element.order.Clear();
  element.readers_count = 0;
  element.binds_all = false;
}

// Room for one more: a larger ring while that is allowed, else the oldest goes.
void MakeRoom(StoreBuffer& stores, uint32_t limit) {
  if (stores.count < stores.capacity) return;
  uint32_t wanted = stores.capacity == 0 ? kFirstCapacity : stores.capacity * 2;
  bool allowed = stores.capacity < limit && __atomic_load_n(&g_elements, __ATOMIC_RELAXED) + wanted <= kMaxElements;
  if (stores.capacity == 0 || allowed) {  // a location always gets its first few
    auto* ring = static_cast<StoreElement*>(ArenaTake(wanted * sizeof(StoreElement)));
    if (ring != nullptr) {
      for (uint32_t i = 0; i < stores.count; ++i) ring[i] = stores.At(i);
      if (stores.ring != nullptr) ArenaGive(stores.ring, stores.capacity * sizeof(StoreElement));
      __atomic_fetch_add(&g_elements, wanted - stores.capacity, __ATOMIC_RELAXED);
      stores.ring = ring;
      stores.capacity = wanted;
      stores.first = 0;
      return;
    }
    if (stores.capacity == 0) return;
  }
  Reset(stores.At(0));
  stores.first = (stores.first + 1) % stores.capacity;
  --stores.count;
}

StoreElement* Append(StoreBuffer& stores, uint32_t limit) {
  MakeRoom(stores, limit);
  while (stores.count > 0 && stores.count >= limit) {
    Reset(stores.At(0));
    stores.first = (stores.first + 1) % stores.capacity;
    --stores.count;
  }
  if (stores.capacity == 0) return nullptr;
  StoreElement& element = stores.At(stores.count++);
  Reset(element);
  return &element;
}

struct Bounds {
  const ThreadOrder* thread;
  bool seq_cst;
  const ScFences* fences;
  uint64_t fence_time;  // of the latest fence that happens before the load
  const Clock* fence_known;
};

bool Binds(const WeakEvent& event, const Bounds& bounds) {
  if (event.epoch <= bounds.thread->now.Get(event.slot)) return true;
  if (bounds.seq_cst && (event.time != 0 || event.epoch <= bounds.fences->known().Get(event.slot))) return true;
  if (bounds.fence_time == 0) return false;
  return (event.time != 0 && event.time < bounds.fence_time) || event.epoch <= bounds.fence_known->Get(event.slot);
}

bool Binds(const StoreElement& element, const Bounds& bounds) {
  if (element.binds_all || Binds(element.store, bounds)) return true;
  for (uint32_t i = 0; i < element.readers_count; ++i) {
    if (Binds(element.readers[i], bounds)) return true;
  }
  return false;
}

}  // namespace

uint32_t StoreChoice::Pick(uint32_t count) {
  state_ += 0x9E3779B97F4A7C15ULL;
  uint64_t mixed = (state_ ^ state_ >> 30U) * 0xBF58476D1CE4E5B9ULL;
  mixed = (mixed ^ mixed >> 27U) * 0x94D049BB133111EBULL;
  mixed ^= mixed >> 31U;
  auto zeros = static_cast<uint32_t>(mixed == 0 ? 64 : __builtin_ctzll(mixed));
  return zeros < count ? zeros : count - 1;
}

void StoreBuffer::Clear() {
  for (uint32_t i = 0; i < count; ++i) Reset(At(i));
  if (ring != nullptr) {
    ArenaGive(ring, capacity * sizeof(StoreElement));
    __atomic_fetch_sub(&g_elements, capacity, __ATOMIC_RELAXED);
  }
  *this = {};
}

void ScFences::Add(const ThreadOrder& thread) {
  known_.Join(thread.now);
  OfSlot*& slot = slots_[thread.slot];
  if (slot == nullptr) slot = static_cast<OfSlot*>(ArenaTake(sizeof(OfSlot)));
  if (slot == nullptr) return;
  if (thread.slot >= used_slots_) used_slots_ = thread.slot + 1;
  Past& past = slot->past[slot->count++ % kPasts];
  past.epoch = thread.epoch;
  past.time = Tick();
  past.known.Assign(known_);
}

uint64_t ScFences::LatestBefore(const ThreadOrder& thread, const Clock** known) const {
  uint64_t latest = 0;
  for (uint32_t s = 0; s < used_slots_; ++s) {
    const OfSlot* slot = slots_[s];
    uint64_t seen = thread.now.Get(s);
    // The thread's own fences ended an epoch each; another's have happened if its epoch then is known.
    if (slot == nullptr || seen == 0) continue;
    uint32_t kept = slot->count < kPasts ? slot->count : kPasts;
    for (uint32_t back = 0; back < kept; ++back) {
      const Past& past = slot->past[(slot->count - 1 - back) % kPasts];
      bool oldest_of_more = back + 1 == kept && slot->count > kPasts;
      if (past.epoch > seen && !oldest_of_more) continue;
      if (past.time > latest) {
        latest = past.time;
        *known = &past.known;
      }
      break;
    }
  }
  return latest;
}

void ScFences::Clear() {
  for (uint32_t s = 0; s < used_slots_; ++s) {
    if (slots_[s] == nullptr) continue;
    for (Past& past : slots_[s]->past) past.known.Clear();
    ArenaGive(slots_[s], sizeof(OfSlot));
    slots_[s] = nullptr;
  }
  known_.Clear();
  used_slots_ = 0;
}

void SynchroniseStores(StoreBuffer& stores, uint64_t present, uint32_t bytes) {
  if (stores.count > 0) {
    if (stores.bytes == bytes && stores.At(stores.count - 1).value == present) return;
    for (uint32_t i = 0; i < stores.count; ++i) Reset(stores.At(i));
    stores.first = stores.count = 0;
  }
  StoreElement* element = Append(stores, UINT32_MAX);
  if (element == nullptr) return;
  stores.bytes = bytes;
  element->value = present;
  element->store = {};
  element->binds_all = true;
}

void AddStore(StoreBuffer& stores, const WeakEvent& event, uint64_t value, const SyncOrder& after, uint32_t limit) {
  StoreElement* element = Append(stores, limit);
  if (element == nullptr) return;
  element->value = value;
  element->store = event;
  if (!after.clock.empty()) element->order.clock.Assign(after.clock);
  element->order.last = after.last;
}

uint32_t ReadableStores(StoreBuffer& stores, const ThreadOrder& thread, bool seq_cst, const ScFences& fences) {
  Bounds bounds{&thread, seq_cst, &fences, 0, nullptr};
  bounds.fence_time = fences.LatestBefore(thread, &bounds.fence_known);
  for (uint32_t back = 1; back < stores.count; ++back) {
    if (Binds(stores.At(stores.count - back), bounds)) return back;
  }
  return stores.count;
}

void NoteReader(StoreElement& store, const WeakEvent& event) {
  for (uint32_t i = 0; i < store.readers_count; ++i) {
    WeakEvent& reader = store.readers[i];
    if (reader.slot != event.slot) continue;
    // The first load of a thread binds whoever its later ones bind; so does its first seq_cst load.
    if (reader.time == 0) reader.time = event.time;
    return;
  }
  if (store.readers_count == kMaxReaders) {
    store.binds_all = true;
    return;
  }
  store.readers[store.readers_count++] = event;
}

}  // namespace heddle::rt::detect
