#include "runtime/detect/sync_ops.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/detect/access.h"
#include "runtime/detect/objects.h"
#include "runtime/detect/state.h"
#include "runtime/detect/weak_mode.h"
#include "runtime/options.h"
#include "runtime/raw_syscall.h"

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

// Both ends of a pipe are one file of the kernel, so the file's number is the object. Ends of other connections cannot
// be paired: they share one object.
constexpr uint32_t kDescriptors = 4096;
uint32_t g_descriptors[kDescriptors];  // 0: not looked at; 1: orders nobody; else the object's number + 2

uint32_t LookAtDescriptor(uint64_t fd) {
  struct stat about{};
  if (Sys(SYS_fstat, fd, &about) != 0) return 1;
  if (S_ISCHR(about.st_mode)) return 1;
  if (S_ISSOCK(about.st_mode)) return 2;
  return static_cast<uint32_t>((about.st_ino * 0x9E3779B97F4A7C15ULL) >> 57U) + 3;
}

SyncObject* ObjectOfDescriptor(uint64_t fd) {
  uint32_t known = fd < kDescriptors ? __atomic_load_n(&g_descriptors[fd], __ATOMIC_RELAXED) : 0;
  if (known == 0) {
    known = LookAtDescriptor(fd);
    if (fd < kDescriptors) __atomic_store_n(&g_descriptors[fd], known, __ATOMIC_RELAXED);
  }
  return known == 1 ? nullptr : DescriptorObject(known - 2);
}

// The number by itself, as an address that no program has memory at.
uint64_t NumberObject(uint64_t fd) { return fd % kDescriptors * 8; }

void Descriptor(DetectThread* self, const Op& op) {
  SyncObject* object = ObjectOfDescriptor(op.address);
  if (object == nullptr) return;
  StripeHolder hold(object->address);
  if (op.kind == Kind::FdWrite) {
    Release(self->order, object->order);
  } else if (Succeeded(op)) {
    Acquire(self->order, object->order);
  }
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
  LoadAtomic(self->order, object->order, Acquires(op.order));
  if (stores) UpdateAtomic(self->order, object->order, Releases(op.order), standard);
}

}  // namespace

void ForgetDescriptor(uint64_t fd) {
  if (fd < kDescriptors) __atomic_store_n(&g_descriptors[fd], 0, __ATOMIC_RELAXED);
}

void Synchronise(DetectThread* self, const Op& op) {
  switch (op.kind) {
    case Kind::OnceEnd:
    case Kind::FutexWake:
    case Kind::Release:
      return ReleaseTo(self, op.address);
    case Kind::OnceBegin:
    case Kind::OncePass:
    case Kind::Acquire:
      return AcquireFrom(self, op.address);
    case Kind::FutexWait:
      if (Succeeded(op)) AcquireFrom(self, op.address);
      return;
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
      return Descriptor(self, op);
    case Kind::FdClose:
      ForgetDescriptor(op.address);
      return ReleaseTo(self, NumberObject(op.address));
    case Kind::FdOpen:
      return AcquireFrom(self, NumberObject(op.address));
    default:
      return;
  }
}

void Atomic(DetectThread* self, const Op& op) {
  bool stores = op.kind != Kind::AtomicLoad && (op.kind != Kind::AtomicCas || op.result != 0);
  // The access comes first: what the operation acquires is not before the operation itself.
  auto flags = static_cast<uint8_t>(kAccessAtomic | (stores ? kAccessWrite : 0U));
  RecentAtomic atomic = RecentAtomic::Of(self, op.address, op.detail, stores);
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

void AtomicFence(DetectThread* self, const Op& op) {
  if (IsWeak() && op.order == static_cast<uint8_t>(Order::SeqCst)) WeakFence(self, true);
  Fence(self->order, Acquires(op.order), Releases(op.order));
}

}  // namespace heddle::rt::detect
