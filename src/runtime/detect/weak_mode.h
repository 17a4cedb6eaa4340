// Weak behaviours in detect mode (option `weak`): the stores of each atomic location and the process's seq_cst fences.
// weak.h has the rules. With the location's stripe held, except WeakFence.
//
// Atomics of 16 bytes always read the latest store.
#pragma once

#include "runtime/detect/objects.h"
#include "runtime/detect/state.h"
#include "runtime/op.h"

namespace heddle::rt::detect {

bool IsWeak();
void StartWeak();
void SeedChoices(DetectThread* self);

// Hooks::atomic_choose: the value that the load `op` reads; `value` is what memory holds.
void ChooseStore(const Op& op, uint64_t* value);

// The clocks' side of an operation on `object`; replaces LoadAtomic, StoreAtomic and UpdateAtomic.
void WeakLoad(DetectThread* self, SyncObject* object, const Op& op, bool acquires);
void WeakStore(DetectThread* self, SyncObject* object, const Op& op, bool releases, Standard standard);
void WeakUpdate(DetectThread* self, SyncObject* object, const Op& op, bool acquires, bool releases, Standard standard);
void WeakFence(DetectThread* self, bool acquires);  // seq_cst; before Fence

// Somebody else chooses what loads read (control/search/c11.h): of the access under way, the store that it read or
// follows, by the order in which the location's were performed, 0 being what was there before, and how many there were
// with that.
struct ToldPlace {
  bool told;
  uint32_t rank;
  uint32_t before;
  uint32_t incarnation;  // of the location: another one has other stores
};
extern ToldPlace g_told_place;
// The clocks' side of such an access.
void ToldAccess(DetectThread* self, SyncObject* object, const Op& op, bool stores, bool acquires, bool releases);

void LockWeak();  // around fork
void UnlockWeak();

}  // namespace heddle::rt::detect
