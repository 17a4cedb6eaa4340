// Synchronisation objects: what the detector knows about a mutex, an atomic location, a barrier ... at an address.
//
// Found through the shadow of its word; objects whose addresses share a word hang in one list. Operations on one
// address are kept apart by one of kStripes locks: take it (StripeHolder), then find or make the object. Objects go
// when their memory does. They are numbered: `serial` is never used again, so an address that is used anew is another
// object.
//
// A stripe counts the changes behind its lock, so that an atomic operation can see that nothing changed without taking
// it (atomic_turn.h): the version is odd while the holder changes clocks, objects or the value of an ordered location.
#pragma once

#include <cstdint>

#include "runtime/detect/order.h"
#include "runtime/detect/shadow.h"
#include "runtime/detect/weak.h"
#include "runtime/spin.h"

namespace heddle::rt::detect {

enum class ObjectKind : uint8_t { kUnknown, kMutex, kRwLock, kSpin, kAnnotated, kCond, kBarrier, kSem, kOther };

inline constexpr uint32_t kNoThread = UINT32_MAX;

struct SyncObject {
  uint64_t address = 0;
  uint32_t next = 0;  // in the same word
  uint32_t index = 0;
  uint64_t serial = 0;
  ObjectKind kind = ObjectKind::kUnknown;
  bool recursive = false;
  bool destroyed = false;
  bool instrumented = false;     // locks: made or first taken by code that was instrumented
  uint32_t outside = kNoThread;  // locks: who took it last outside a signal handler
  bool robust = false;           // its holder may die: the next one gets it with EOWNERDEAD
  bool not_static = false;       // an annotated lock made with that flag
  bool kept = false;             // an annotated lock whose destruction does not count
  Cell made = 0;                 // locks: the segment that initialised it
  uint32_t owner = kNoThread;    // thread number of who holds it alone
  uint32_t depth = 0;            // how often
  uint32_t readers = 0;
  SyncOrder order;          // locks: of who held it alone
  SyncOrder readers_order;  // locks: of shared holders; barriers: the other phase
  Clock must;               // semaphores and barriers, for lock orders
  uint64_t count = 0;       // barriers: size; semaphores: value; conditions: waiters
  StoreBuffer stores{};     // atomics, with --weak: what loads may still read
  uint64_t arrived = 0;     // barriers: arrivals so far; conditions: wake-ups not yet taken
};

bool StartObjects();

inline constexpr uint32_t kStripes = 1024;
struct alignas(64) Stripe {
  SpinLock lock;
  uint64_t version = 0;

  // By the holder, around a change.
  void BeginChange() {
    __atomic_store_n(&version, version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
  }
  void EndChange() { __atomic_store_n(&version, version + 1, __ATOMIC_RELEASE); }
  // Nothing was changed after all.
  void TakeBackChange() { __atomic_store_n(&version, version - 1, __ATOMIC_RELEASE); }
  uint64_t Version() const { return __atomic_load_n(&version, __ATOMIC_ACQUIRE); }
};
extern Stripe g_stripes[kStripes];
inline Stripe& StripeOf(uint64_t address) {
  // Granules of 16 bytes: 128-bit atomics and their halves meet.
  return g_stripes[(address >> 4U) * 0x9E3779B97F4A7C15ULL >> 54U];
}

class StripeHolder {
 public:
  explicit StripeHolder(uint64_t address) : stripe_(StripeOf(address)) {
    stripe_.lock.Lock();
    stripe_.BeginChange();
  }
  ~StripeHolder() {
    stripe_.EndChange();
    stripe_.lock.Unlock();
  }
  StripeHolder(const StripeHolder&) = delete;
  StripeHolder& operator=(const StripeHolder&) = delete;

 private:
  Stripe& stripe_;
};
void LockStripes();  // around fork
void UnlockStripes();

// With the stripe held. Null when there is none, or (FindOrMake) no memory.
extern SyncObject* g_objects;
inline SyncObject* FindObject(uint64_t address) {
  Region* region = RegionIfTouched(address);
  if (region == nullptr) return nullptr;
  uint32_t index = region->objects[(address & (kRegionBytes - 1)) >> 3U];
  while (index != 0 && g_objects[index].address != address) index = g_objects[index].next;
  return index == 0 ? nullptr : &g_objects[index];
}
SyncObject* MakeObject(uint64_t address);
inline SyncObject* FindOrMakeObject(uint64_t address) {
  SyncObject* object = FindObject(address);
  return object != nullptr ? object : MakeObject(address);
}

// Takes the stripes itself. `lost` is called for each object before it goes, with its stripe held.
void ForgetObjects(uint64_t begin, uint64_t bytes, void (*lost)(SyncObject* object));

// Objects that are no memory: pipes and sockets, by a key (descriptors.h). Lock with StripeOf(their address).
SyncObject* DescriptorObject(uint64_t key);

}  // namespace heddle::rt::detect
