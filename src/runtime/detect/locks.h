// Which locks a thread holds, in what order they were taken, and what is wrong with that: unlocking what is not held,
// locking twice, destroying what is locked, keeping a lock to the end of a thread.
#pragma once

#include <cstdint>

#include "runtime/op.h"

namespace heddle::rt::detect {

struct DetectThread;

// arg2 of a LockInit.
inline constexpr uint64_t kRobustLock = 1;
struct SyncObject;

// In the depot's paths of locks: the lock is held in shared mode.
inline constexpr uint64_t kSharedLockBit = uint64_t{1} << 63U;

void LockTaken(DetectThread* self, const Op& op);
// `asked`: how it is unlocked, where the call says so; null: it does not.
void LockDropped(DetectThread* self, uint64_t address, uint64_t pc, const LockDetail* asked = nullptr);
// The lock call failed.
void LockRefused(DetectThread* self, const Op& op);
bool HoldsAlone(const DetectThread* self, uint64_t address);
void LockMade(DetectThread* self, const Op& op);
void LockDestroyed(DetectThread* self, const Op& op);
// Its memory goes away.
void LockLost(SyncObject* object);
// The same when its memory is freed: its users must be known to have finished.
void LockFreed(SyncObject* object);
void ThreadEndsWithLocks(DetectThread* self);

}  // namespace heddle::rt::detect
