// Atomic operations of a watched thread when neither a strategy nor --weak has a say: what abi/direct_atomics.h asks
// before and after the operation itself. docs/detect-shadow.md has the reasons.
//
//   repeated  the thread did the same in this epoch, and the stripe has not changed since: nothing to enter, nothing
//             to learn. A look at the version before and one behind the operation; no shared memory is written.
//   idle      the location has no object, or one that the thread knows all about: no lock either, but the cells are
//             told.
//   turn      the stripe is held while the operation happens and the clocks follow it.
//
// Whoever reads a value between two looks at the same even version read what the stripe's clocks belong to: an
// operation that changes clocks makes the version odd before it stores and even when the clocks are right.
// Under a RuntimeScope, by the thread itself.
#pragma once

#include "runtime/detect/objects.h"
#include "runtime/detect/state.h"
#include "runtime/op.h"

namespace heddle::rt::detect {

// Set once, when detection has started.
extern bool g_direct_atomics;

constexpr bool AcquiresBy(int order) {
  auto plain = static_cast<Order>(order & 0xFF);
  return plain != Order::Relaxed && plain != Order::Release;
}
constexpr bool ReleasesBy(int order) {
  auto plain = static_cast<Order>(order & 0xFF);
  return plain == Order::Release || plain == Order::AcqRel || plain == Order::SeqCst;
}

struct AtomicAccess {
  uint64_t address;
  uint32_t bytes;
  bool stores;
  bool acquires;
  bool releases;
  const void* pc;
};

inline RecentAtomic& RecentOf(DetectThread* self, const AtomicAccess& access, RecentAtomic* wanted) {
  *wanted = RecentAtomic::Of(self->order.Segment(), access.address, access.bytes, access.stores, access.acquires);
  return self->recent[RecentPlace(*wanted)];
}

// `version`: to be asked for again behind the operation, by IsUnchanged.
inline bool IsRepeated(DetectThread* self, const AtomicAccess& access, uint64_t* version) {
  RecentAtomic wanted;
  const RecentAtomic& known = RecentOf(self, access, &wanted);
  *version = known.version;
  return known.access == wanted.access && known.segment == wanted.segment &&
         StripeOf(access.address).Version() == known.version;
}
inline bool IsUnchanged(const AtomicAccess& access, uint64_t version) {
  return StripeOf(access.address).Version() == version;
}

// Checks the access against those of other threads, unless that was done in this epoch. Before the operation's clocks:
// what it acquires is not before the operation itself.
void EnterAtomic(DetectThread* self, const AtomicAccess& access);
// With the stripe at this version the operation is repeated next time; kNoVersion: only its access is known.
void Remember(DetectThread* self, const AtomicAccess& access, uint64_t version);

// A load that learns nothing, whatever it reads at this version.
bool IsIdleLoad(const DetectThread* self, uint64_t address, uint64_t* version);
// A relaxed operation that orders nothing: the location has no object and the thread no release fence behind it.
bool IsIdle(const DetectThread* self, uint64_t address, uint64_t* version);
// Behind an idle read-modify-write: an operation with an order may have come meanwhile; it counts as before.
void UpdateLate(DetectThread* self, const AtomicAccess& access);

// Whether the operation, if it stores, changes the location's clock.
inline bool ChangesClock(const DetectThread* self, const AtomicAccess& access) {
  return access.releases || self->order.released_segment != 0;
}

// The stripe of the location, held. `changes`: its object is made if need be, and readers are told to wait.
class AtomicTurn {
 public:
  AtomicTurn(DetectThread* self, uint64_t address, bool changes);
  ~AtomicTurn();
  AtomicTurn(const AtomicTurn&) = delete;
  AtomicTurn& operator=(const AtomicTurn&) = delete;

  void Load(bool acquires);
  void Store(bool releases);
  void Update(bool releases);  // behind Load
  void ChangedNothing();       // after all
  uint64_t version() const { return stripe_.version; }

 private:
  DetectThread* self_;
  Stripe& stripe_;
  SyncObject* object_;  // null: none, and nothing to do
  bool changes_;
};

}  // namespace heddle::rt::detect
