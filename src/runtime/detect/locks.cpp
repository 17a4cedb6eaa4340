// Locks in the detector: held locks of each thread, clocks of each lock, and misuse.
//
// Taking a lock acquires the order of what was released to it: a writer also that of the readers. Dropping it releases
// the thread's order to it, into a separate clock for readers, so that readers do not order each other. The locks that
// a thread holds are a stack, and at the same time a path in the depot, which accesses can carry as one number.
//
// Misuse is what the state contradicts: dropped by a thread that does not hold it, taken by one that does, destroyed or
// freed while held, still held at the end of a thread. "Used after destruction" and "destroyed before its last use" are
// decided by the clocks: a use that is not ordered before the end of the lock's life counts.
#include "runtime/detect/locks.h"

#include "runtime/detect/arena.h"
#include "runtime/detect/lock_edges.h"
#include "runtime/detect/misuse.h"
#include "runtime/detect/objects.h"
#include "runtime/detect/state.h"
#include "runtime/mode.h"

namespace heddle::rt::detect {
namespace {

ObjectKind KindOf(LockClass lock_class) {
  switch (lock_class) {
    case LockClass::Mutex:
      return ObjectKind::kMutex;
    case LockClass::RwLock:
      return ObjectKind::kRwLock;
    case LockClass::Spin:
      return ObjectKind::kSpin;
    case LockClass::Annotated:
      break;
  }
  return ObjectKind::kAnnotated;
}

HeldLock* FindHeld(DetectThread* self, uint64_t address) {
  for (uint32_t i = self->held_count; i > 0; --i) {
    if (self->held[i - 1].address == address) return &self->held[i - 1];
  }
  return nullptr;
}

// The depot's path of the locks held, after one was taken or dropped.
void RebuildPath(DetectThread* self, uint32_t from) {
  uint32_t path = 0;
  for (uint32_t i = 0; i < from; ++i) path = self->held[i].path;
  for (uint32_t i = from; i < self->held_count; ++i) {
    HeldLock& held = self->held[i];
    path = held.path = DepotPut(path, held.address | (held.shared ? kSharedLockBit : 0));
  }
  self->locks = path;
}

void Push(DetectThread* self, const HeldLock& lock) {
  if (self->held_count == self->held_capacity) {
    uint32_t capacity = self->held_capacity == 0 ? 16 : self->held_capacity * 2;
    auto* more = static_cast<HeldLock*>(ArenaTake(capacity * sizeof(HeldLock)));
    if (more == nullptr) return;
    for (uint32_t i = 0; i < self->held_count; ++i) more[i] = self->held[i];
    if (self->held != nullptr) ArenaGive(self->held, self->held_capacity * sizeof(HeldLock));
    self->held = more;
    self->held_capacity = capacity;
  }
  self->held[self->held_count++] = lock;
  RebuildPath(self, self->held_count - 1);
}

void Remove(DetectThread* self, HeldLock* held) {
  auto index = static_cast<uint32_t>(held - self->held);
  for (uint32_t i = index; i + 1 < self->held_count; ++i) self->held[i] = self->held[i + 1];
  --self->held_count;
  RebuildPath(self, index);
}

// Whether everything released to the object happened before what the thread does now.
bool KnowsAllOf(const DetectThread* self, const SyncOrder& order) {
  if (order.last != 0 && self->order.Knows(order.last)) return true;
  return order.clock.IsWithin(self->order.now);
}
bool KnowsAllUses(const DetectThread* self, const SyncObject* object) {
  return KnowsAllOf(self, object->order) && KnowsAllOf(self, object->readers_order);
}
bool IsRealLock(const SyncObject* object) {
  return object->kind == ObjectKind::kMutex || object->kind == ObjectKind::kRwLock || object->kind == ObjectKind::kSpin;
}

// With the object's stripe held: its clocks and its owner.
void Enter(DetectThread* self, SyncObject* object, bool shared) {
  Acquire(self->order, object->order);
  if (shared) {
    ++object->readers;
    return;
  }
  Acquire(self->order, object->readers_order);
  object->owner = self->number;
  ++object->depth;
}

void Leave(DetectThread* self, SyncObject* object, bool shared) {
  if (shared) {
    Release(self->order, object->readers_order);
    if (object->readers > 0) --object->readers;
    return;
  }
  Release(self->order, object->order);
  if (object->depth > 0) --object->depth;
  if (object->depth == 0) object->owner = kNoThread;
}

// Whether a handler under way may have interrupted a holder of the lock on its own thread: a signal to the process may
// meet any thread, one to this thread only it.
bool MayInterruptItself(const DetectThread* self, const SyncObject* object) {
  const Thread* thread = t_hot.thread;
  if (thread->handlers == 0) [[likely]]
    return false;
  return !thread->interrupted[thread->handlers - 1].directed || object->outside == self->number;
}

}  // namespace

void LockTaken(DetectThread* self, const Op& op) {
  LockDetail detail = LockDetail::Unpack(op.detail);
  uint64_t serial = 0;
  bool destroyed = false;
  bool early = false;
  bool in_handler = false;
  HeldLock* again = FindHeld(self, op.address);
  {
    StripeHolder hold(op.address);
    SyncObject* object = FindOrMakeObject(op.address);
    if (object == nullptr) return;
    destroyed = object->destroyed;
    if (object->kind == ObjectKind::kUnknown) {
      object->kind = KindOf(detail.lock_class);
      object->instrumented = IsInstrumentedCode(reinterpret_cast<const void*>(op.pc));  // NOLINT
    }
    early = object->made != 0 && !self->order.Knows(object->made);
    Enter(self, object, detail.shared);
    serial = object->serial;
    if (t_hot.thread->handlers == 0) object->outside = self->number;
    in_handler = MayInterruptItself(self, object);
  }
  if (destroyed) ReportMisuse(self, Misuse::kUseDestroyed, op.address, op.pc);
  if (early) [[unlikely]]
    ReportUnorderedLife(self, Misuse::kInitUsed, op.address, op.pc);
  in_handler = in_handler && detail.manner != Manner::Try;  // an attempt cannot get stuck
  if (in_handler && detail.lock_class != LockClass::Annotated) {
    ReportMisuse(self, Misuse::kLockInHandler, op.address, op.pc);
  }
  if (again != nullptr) {
    if (again->shared != detail.shared) ReportMisuse(self, Misuse::kWrongMode, op.address, op.pc);
    ++again->depth;
    return;
  }
  uint32_t stack = CurrentStack();
  if (detail.manner == Manner::Block && self->held_count > 0) {
    NoteLockEdges(self, {op.address, serial, op.pc, stack, 1, 0, detail.shared});
  }
  Push(self, {op.address, serial, op.pc, stack, 1, 0, detail.shared});
}

void LockDropped(DetectThread* self, uint64_t address, uint64_t pc, const LockDetail* asked) {
  HeldLock* held = FindHeld(self, address);
  bool other_mode = asked != nullptr && held != nullptr && held->shared != asked->shared;
  uint32_t owner = kNoThread;
  bool destroyed = false;
  {
    StripeHolder hold(address);
    SyncObject* object = FindOrMakeObject(address);
    if (object == nullptr) return;
    owner = object->owner;
    destroyed = object->destroyed;
    bool somebody = owner != kNoThread || object->readers > 0;
    bool counts = held != nullptr || object->kind == ObjectKind::kSpin || object->kind == ObjectKind::kAnnotated;
    if (counts || !somebody) Leave(self, object, held != nullptr && held->shared);
  }
  if (destroyed) ReportMisuse(self, Misuse::kUseDestroyed, address, pc);
  if (other_mode) ReportMisuse(self, Misuse::kWrongMode, address, pc);
  if (held == nullptr) {
    ReportMisuse(self, owner == kNoThread ? Misuse::kUnlockFree : Misuse::kUnlockOther, address, pc);
    return;
  }
  if (--held->depth == 0) Remove(self, held);
}

// libc refuses a destroyed mutex.
void LockRefused(DetectThread* self, const Op& op) {
  bool destroyed = false;
  {
    StripeHolder hold(op.address);
    const SyncObject* object = FindObject(op.address);
    destroyed = object != nullptr && object->destroyed;
  }
  if (destroyed) ReportMisuse(self, Misuse::kUseDestroyed, op.address, op.pc);
  if (HoldsAlone(self, op.address)) ReportMisuse(self, Misuse::kDoubleLock, op.address, op.pc);
}

bool HoldsAlone(const DetectThread* self, uint64_t address) {
  for (uint32_t i = 0; i < self->held_count; ++i) {
    if (self->held[i].address == address && !self->held[i].shared) return true;
  }
  return false;
}

// Flags of __tsan_mutex_create and __tsan_mutex_destroy (abi/annotate.cpp) in arg2.
constexpr uint64_t kLinkerInit = 1;
constexpr uint64_t kNotStatic = 1U << 8U;

void LockMade(DetectThread* self, const Op& op) {
  StripeHolder hold(op.address);
  SyncObject* object = FindOrMakeObject(op.address);
  if (object == nullptr) return;
  bool annotated = LockDetail::Unpack(op.detail).lock_class == LockClass::Annotated;
  object->robust = !annotated && op.arg2 == kRobustLock;
  object->kept = annotated && (op.arg2 & kLinkerInit) != 0;
  object->not_static = annotated && (op.arg2 & kNotStatic) != 0;
  object->instrumented = IsInstrumentedCode(reinterpret_cast<const void*>(op.pc));  // NOLINT
  object->made = annotated ? 0 : self->order.Segment();
  object->kind = KindOf(LockDetail::Unpack(op.detail).lock_class);
  object->destroyed = false;
  object->recursive = op.arg == 1;  // PTHREAD_MUTEX_RECURSIVE
  object->owner = kNoThread;
  object->depth = object->readers = 0;
}

void LockDestroyed(DetectThread* self, const Op& op) {
  bool locked = false;
  bool destroyed = false;
  bool used = false;
  {
    StripeHolder hold(op.address);
    SyncObject* object = FindOrMakeObject(op.address);
    if (object == nullptr) return;
    bool annotated = object->kind == ObjectKind::kAnnotated;
    if (annotated && (object->kept || (op.arg2 & kLinkerInit) != 0)) return;
    if (annotated && (op.arg2 & kNotStatic) != 0 && !object->not_static) return;
    locked = object->owner != kNoThread || object->readers > 0;
    destroyed = object->destroyed;
    used = !locked && !KnowsAllUses(self, object);
    object->destroyed = true;
  }
  HeldLock* held = FindHeld(self, op.address);
  if (held != nullptr) Remove(self, held);  // what is made there next is another lock
  if (locked) ReportMisuse(self, Misuse::kDestroyLocked, op.address, op.pc);
  if (used) ReportUnorderedLife(self, Misuse::kDestroyUsed, op.address, op.pc);
  if (destroyed) ReportMisuse(self, Misuse::kUseDestroyed, op.address, op.pc);
}

// With the stripe held; the report takes no stripe.
void LockLost(SyncObject* object) {
  bool locked = object->owner != kNoThread || object->readers > 0;
  DetectThread* self = Self();
  if (locked && self != nullptr) ReportMisuse(self, Misuse::kFreeLocked, object->address, 0);
}

void LockFreed(SyncObject* object) {
  bool locked = object->owner != kNoThread || object->readers > 0;
  DetectThread* self = Self();
  if (locked || self == nullptr || !IsRealLock(object)) return LockLost(object);
  if (object->instrumented && !KnowsAllUses(self, object)) {
    ReportMisuse(self, Misuse::kFreeUsed, object->address, 0);
  }
}

namespace {

// The kernel gives a robust mutex to the next one that asks for it. False: it is none.
bool LeaveRobust(DetectThread* self, const HeldLock& held) {
  StripeHolder hold(held.address);
  SyncObject* object = FindObject(held.address);
  if (object == nullptr || !object->robust) return false;
  Release(self->order, object->order);
  object->owner = kNoThread;
  object->depth = 0;
  return true;
}

}  // namespace

void ThreadEndsWithLocks(DetectThread* self) {
  for (uint32_t i = 0; i < self->held_count; ++i) {
    const HeldLock& held = self->held[i];
    if (LeaveRobust(self, held)) continue;
    ReportMisuseAt(self, Misuse::kExitLocked, held.address, held.pc, held.stack);
  }
}

}  // namespace heddle::rt::detect
