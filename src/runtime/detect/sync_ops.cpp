#include "runtime/detect/sync_ops.h"

#include "runtime/detect/access.h"
#include "runtime/detect/descriptors.h"
#include "runtime/detect/objects.h"
#include "runtime/detect/state.h"
#include "runtime/detect/weak_mode.h"
#include "runtime/options.h"

namespace heddle::rt::detect {
namespace {

bool Succeeded(const Op& op) { return op.result == static_cast<uint8_t>(Outcome::Success); }

void ReleaseTo(DetectThread* self, uint64_t address) {
  StripeHolder hold(address);
  SyncObject* object = FindOrMakeObject(address);
  if (object != nullptr) Release(self->order, object->order);
}

void AcquireFrom(DetectThread* self, uint64_t address) {
  StripeHolder hold(address);
  SyncObject* object = FindObject(address);
  if (object != nullptr) Acquire(self->order, object->order);
}

// The same for the order that no lock causes.
void MustRelease(DetectThread* self, Clock* into) {
  self->must.Set(self->order.slot, self->must_epoch);
  into->Join(self->must);
  ++self->must_epoch;
}

void Semaphore(DetectThread* self, const Op& op) {
  StripeHolder hold(op.address);
  SyncObject* object = FindOrMakeObject(op.address);
  if (object == nullptr) return;
  object->kind = ObjectKind::kSem;
  if (op.kind == Kind::SemInit) {
    object->count = op.arg;
    object->order.clock.Forget();
    object->order.last = 0;
  } else if (op.kind == Kind::SemPost) {
    ++object->count;
    Release(self->order, object->order);
    MustRelease(self, &object->must);
  } else if (Succeeded(op)) {
    if (object->count > 0) --object->count;
    Acquire(self->order, object->order);
    self->must.Join(object->must);
  }
}

// Two clocks in turn: a fast thread may enter the next round while a slow one has not left this one.
void Barrier(DetectThread* self, const Op& op) {
  StripeHolder hold(op.address);
  SyncObject* object = FindOrMakeObject(op.address);
  if (object == nullptr) return;
  object->kind = ObjectKind::kBarrier;
  if (op.kind == Kind::BarrierInit) {
    object->count = op.arg;
    object->arrived = 0;
    return;
  }
  if (op.kind == Kind::BarrierEnter) {
    uint64_t size = object->count == 0 ? 1 : object->count;
    self->barrier_phase = object->arrived / size;
    SyncOrder& round = self->barrier_phase % 2 == 0 ? object->order : object->readers_order;
    // All of the round before the last have left: they had to, to enter the last.
    if (object->arrived % size == 0) round.Clear();
    ++object->arrived;
    Release(self->order, round);
    MustRelease(self, &object->must);
    return;
  }
  Acquire(self->order, self->barrier_phase % 2 == 0 ? object->order : object->readers_order);
  self->must.Join(object->must);
}

bool Releases(uint8_t order) {
  return order == static_cast<uint8_t>(Order::Release) || order >= static_cast<uint8_t>(Order::AcqRel);
}
bool Acquires(uint8_t order) {
  return order == static_cast<uint8_t>(Order::Acquire) || order == static_cast<uint8_t>(Order::Consume) ||
         order >= static_cast<uint8_t>(Order::AcqRel);
}

// With the stripe held.
void AtomicOrder(DetectThread* self, const Op& op, bool stores) {
  SyncObject* object = FindObject(op.address);
  if (object == nullptr) return;
  Standard standard = g_options.std == 11 ? Standard::kCxx11 : Standard::kCxx20;
  if (g_told_place.told) return ToldAccess(self, object, op, stores, Acquires(op.order), Releases(op.order));
  if (IsWeak()) {
    if (op.kind == Kind::AtomicStore) return WeakStore(self, object, op, Releases(op.order), standard);
    if (!stores) return WeakLoad(self, object, op, Acquires(op.order));
    return WeakUpdate(self, object, op, Acquires(op.order), Releases(op.order), standard);
  }
  if (op.kind == Kind::AtomicStore) {
    StoreAtomic(self->order, object->order, Releases(op.order), standard);
    return;
  }
  bool learns = op.kind != Kind::AtomicRmw || op.arg3 != kLearnsNothing;
  if (learns) LoadAtomic(self->order, object->order, Acquires(op.order));
  if (stores) UpdateAtomic(self->order, object->order, Releases(op.order), standard);
}

}  // namespace

void Synchronise(DetectThread* self, const Op& op) {
  switch (op.kind) {
    case Kind::OnceEnd:
    case Kind::Release:
      return ReleaseTo(self, op.address);
    case Kind::OnceBegin:
    case Kind::OncePass:
    case Kind::Acquire:
      return AcquireFrom(self, op.address);
    case Kind::SemInit:
    case Kind::SemPost:
    case Kind::SemWait:
      return Semaphore(self, op);
    case Kind::BarrierInit:
    case Kind::BarrierEnter:
    case Kind::BarrierExit:
      return Barrier(self, op);
    case Kind::FdRead:
    case Kind::FdWrite:
    case Kind::FdOpen:
    case Kind::FdClose:
      return DescriptorOperation(self, op);
    default:
      return;
  }
}

void Atomic(DetectThread* self, const Op& op) {
  bool stores = op.kind != Kind::AtomicLoad && (op.kind != Kind::AtomicCas || op.result != 0);
  // The access comes first: what the operation acquires is not before the operation itself.
  auto flags = static_cast<uint8_t>(kAccessAtomic | (stores ? kAccessWrite : 0U));
  RecentAtomic atomic = RecentAtomic::Of(self->order.Segment(), op.address, op.detail, stores, false);
  if (!IsRecent(self, atomic) && t_hot.ignore == 0) {
    CheckAccess(self, op.address, op.detail, flags, op.pc);
    self->recent[RecentPlace(atomic)] = atomic;
  }
  if (self->in_stripe) return AtomicOrder(self, op, stores);
  // A relaxed operation on its own (Hooks::atomic_need). The first operation with an order may have come just now,
  // before or after this one: loads and updates count as after it; a store ends no sequence, or it might end one that
  // came later. Either way there are rather edges too many than too few.
  if (op.kind == Kind::AtomicStore || FindObject(op.address) == nullptr) return;
  StripeHolder hold(op.address);
  AtomicOrder(self, op, stores);
}

namespace {

// Where no program has memory, behind the words of descriptors.
uint64_t SignalWord(int number) { return NumberWord(kDescriptors - 1) + 8 + static_cast<uint64_t>(number) * 8; }
uint64_t SentWord(int number) { return SignalWord(128 + number); }

}  // namespace

void SetIgnoredSync(DetectThread* self, int count) {
  self->ignored_sync = count;
  self->order.deaf = count > 0;
  ForgetAtomics(self);  // what was learnt, or was not
}
void IgnoreSync(int change) {
  DetectThread* self = Self();
  if (self != nullptr) SetIgnoredSync(self, self->ignored_sync + change);
}

void HandlerInstalled(int number) {
  DetectThread* self = Self();
  if (self == nullptr) return;
  ReleaseTo(self, SignalWord(number));
  __heddle_segment = self->order.Segment();
}
void SignalSent(int number) {
  DetectThread* self = Self();
  if (self == nullptr) return;
  ReleaseTo(self, SentWord(number));
  __heddle_segment = self->order.Segment();
  SignalDescriptorsReadable();
}
void SignalTaken(int number) {
  DetectThread* self = Self();
  if (self == nullptr) return;
  AcquireFrom(self, SentWord(number));
  __heddle_segment = self->order.Segment();
}
void NewSegment() {
  DetectThread* self = Self();
  if (self == nullptr) return;
  self->order.Tick();
  __heddle_segment = self->order.Segment();
}
void HandlerBegins(DetectThread* self, int number) { AcquireFrom(self, SignalWord(number)); }

void AtomicFence(DetectThread* self, const Op& op) {
  if (IsWeak() && op.order == static_cast<uint8_t>(Order::SeqCst)) WeakFence(self, true);
  Fence(self->order, Acquires(op.order), Releases(op.order));
}

}  // namespace heddle::rt::detect
