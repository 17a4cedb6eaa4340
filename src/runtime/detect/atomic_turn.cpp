#include "runtime/detect/atomic_turn.h"

#include "runtime/detect/access.h"
#include "runtime/options.h"

namespace heddle::rt::detect {

bool g_direct_atomics = false;

namespace {

Standard StandardInForce() { return g_options.std == 11 ? Standard::kCxx11 : Standard::kCxx20; }

}  // namespace

void EnterAtomic(DetectThread* self, const AtomicAccess& access) {
  if (access.releases) {  // each in an epoch of its own
    if (t_hot.ignore == 0) CheckAtomic(self, access.address, access.bytes, true, reinterpret_cast<uint64_t>(access.pc));
    return;
  }
  RecentAtomic wanted;
  const RecentAtomic& known = RecentOf(self, access, &wanted);
  if (known.access == wanted.access && known.segment == wanted.segment) return;
  if (t_hot.ignore != 0) return;
  CheckAtomic(self, access.address, access.bytes, access.stores, reinterpret_cast<uint64_t>(access.pc));
  Remember(self, access, kNoVersion);
}

void Remember(DetectThread* self, const AtomicAccess& access, uint64_t version) {
  if (t_hot.ignore != 0 || self->order.deaf) return;
  RecentAtomic wanted;
  RecentAtomic& known = RecentOf(self, access, &wanted);
  known = {wanted.access, wanted.segment, version};
}

bool IsIdleLoad(const DetectThread* self, uint64_t address, uint64_t* version) {
  *version = StripeOf(address).Version();
  const SyncObject* object = FindObject(address);
  // Read without the lock: whoever changes them changes the version, so that the caller finds out.
  return *version % 2 == 0 && (object == nullptr || IsKnownTo(self->order, object->order));
}

bool IsIdle(const DetectThread* self, uint64_t address, uint64_t* version) {
  *version = StripeOf(address).Version();
  return *version % 2 == 0 && self->order.released_segment == 0 && FindObject(address) == nullptr;
}

void UpdateLate(DetectThread* self, const AtomicAccess& access) {
  AtomicTurn turn(self, access.address, false);
  turn.Load(access.acquires);
}

AtomicTurn::AtomicTurn(DetectThread* self, uint64_t address, bool changes)
    : self_(self), stripe_(StripeOf(address)), changes_(changes) {
  stripe_.lock.Lock();
  self_->in_stripe = true;
  if (changes) stripe_.BeginChange();
  object_ = changes ? FindOrMakeObject(address) : FindObject(address);
}

AtomicTurn::~AtomicTurn() {
  if (changes_) stripe_.EndChange();
  self_->in_stripe = false;
  stripe_.lock.Unlock();
  if (changes_) __heddle_segment = self_->order.Segment();
}

void AtomicTurn::Load(bool acquires) {
  if (object_ != nullptr) LoadAtomic(self_->order, object_->order, acquires);
}
void AtomicTurn::Store(bool releases) {
  if (object_ != nullptr) StoreAtomic(self_->order, object_->order, releases, StandardInForce());
}
void AtomicTurn::Update(bool releases) {
  if (object_ != nullptr) UpdateAtomic(self_->order, object_->order, releases, StandardInForce());
}
void AtomicTurn::ChangedNothing() {
  if (changes_) stripe_.TakeBackChange();
  changes_ = false;
}

}  // namespace heddle::rt::detect
