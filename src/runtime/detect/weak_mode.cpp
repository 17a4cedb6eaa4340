#include "runtime/detect/weak_mode.h"

#include <cstring>

#include "runtime/mode.h"
#include "runtime/options.h"

namespace heddle::rt::detect {
namespace {

ScFences g_fences;
SpinLock g_fences_lock;

bool IsSeqCst(const Op& op) { return op.order == static_cast<uint8_t>(Order::SeqCst); }

WeakEvent EventOf(const DetectThread* self, const Op& op) {
  WeakEvent event{self->order.slot, self->order.epoch, 0};
  if (!IsSeqCst(op)) return event;
  SpinHolder hold(g_fences_lock);
  event.time = g_fences.Tick();
  return event;
}

uint64_t MemoryOf(const Op& op) {
  uint64_t value = 0;
  memcpy(&value, reinterpret_cast<const void*>(op.address), op.detail);  // NOLINT: an address of the target
  return value;
}

uint64_t Cut(uint64_t value, const Op& op) {
  return op.detail >= 8 ? value : value & ((uint64_t{1} << (op.detail * 8U)) - 1);
}

uint32_t StoreLimit() { return g_options.stores < 1 ? 1 : static_cast<uint32_t>(g_options.stores); }

}  // namespace

bool IsWeak() { return g_options.weak; }

void StartWeak() {
  g_hooks.atomic_need = nullptr;
  g_hooks.atomic_choose = ChooseStore;
}

void SeedChoices(DetectThread* self) {
  self->choice = StoreChoice((static_cast<uint64_t>(g_options.seed) << 32U) + self->number);
}

void ChooseStore(const Op& op, uint64_t* value) {
  DetectThread* self = Self();
  SyncObject* object = FindObject(op.address);
  if (self == nullptr || object == nullptr || op.detail > 8) return;
  StoreBuffer& stores = object->stores;
  SynchroniseStores(stores, *value, op.detail);
  if (stores.count == 0) return;
  WeakEvent event = EventOf(self, op);
  uint32_t readable = 0;
  {
    SpinHolder hold(g_fences_lock);
    readable = ReadableStores(stores, self->order, IsSeqCst(op), g_fences);
  }
  self->chosen = stores.count - readable + self->choice.Pick(readable);
  StoreElement& store = stores.At(self->chosen);
  NoteReader(store, event);
  *value = store.value;
}

void WeakLoad(DetectThread* self, SyncObject* object, const Op& op, bool acquires) {
  StoreBuffer& stores = object->stores;
  if (op.detail > 8 || stores.count == 0) return LoadAtomic(self->order, object->order, acquires);
  if (op.kind == Kind::AtomicLoad) {
    return LoadAtomic(self->order, stores.At(self->chosen).order, acquires);
  }
  // A failed compare-exchange read the latest store.
  SynchroniseStores(stores, op.arg, op.detail);
  NoteReader(stores.At(stores.count - 1), EventOf(self, op));
  LoadAtomic(self->order, object->order, acquires);
}

void WeakStore(DetectThread* self, SyncObject* object, const Op& op, bool releases, Standard standard) {
  if (op.detail > 8) return StoreAtomic(self->order, object->order, releases, standard);
  SynchroniseStores(object->stores, MemoryOf(op), op.detail);
  WeakEvent event = EventOf(self, op);
  StoreAtomic(self->order, object->order, releases, standard);
  AddStore(object->stores, event, Cut(op.arg, op), object->order, StoreLimit());
}

void WeakUpdate(DetectThread* self, SyncObject* object, const Op& op, bool acquires, bool releases, Standard standard) {
  if (op.detail <= 8) SynchroniseStores(object->stores, Cut(op.arg, op), op.detail);
  WeakEvent event = EventOf(self, op);
  LoadAtomic(self->order, object->order, acquires);
  UpdateAtomic(self->order, object->order, releases, standard);
  if (op.detail <= 8) AddStore(object->stores, event, Cut(op.arg2, op), object->order, StoreLimit());
}

void WeakFence(DetectThread* self, bool acquires) {
  if (acquires) self->order.Learn(self->order.pending);
  SpinHolder hold(g_fences_lock);
  g_fences.Add(self->order);
}

ToldPlace g_told_place;

void ToldAccess(DetectThread* self, SyncObject* object, const Op& op, bool stores, bool acquires, bool releases) {
  ToldPlace place = g_told_place;
  g_told_place.told = false;
  StoreBuffer& known = object->stores;
  if (known.count != place.before || known.bytes != place.incarnation) {
    known.Clear();
    SynchroniseStores(known, 0, place.incarnation);  // what was there before, and what was released there
    if (known.count > 0 && !object->order.clock.empty()) known.At(0).order.clock.Assign(object->order.clock);
  }
  if (op.kind != Kind::AtomicStore && place.rank < known.count) {
    SyncOrder& read = known.At(place.rank).order;
    LoadAtomic(self->order, read, acquires);
    if (stores) {
      // It goes on with the sequence that it read, which need not be the location's latest.
      object->order.Clear();
      if (!read.clock.empty()) object->order.clock.Assign(read.clock);
    }
  }
  if (!stores) return;
  if (op.kind == Kind::AtomicStore) {
    StoreAtomic(self->order, object->order, releases, Standard::kCxx20);
  } else {
    UpdateAtomic(self->order, object->order, releases, Standard::kCxx20);
  }
  AddStore(known, {}, 0, object->order, UINT32_MAX);
}

void LockWeak() { g_fences_lock.Lock(); }
void UnlockWeak() { g_fences_lock.Unlock(); }

}  // namespace heddle::rt::detect
