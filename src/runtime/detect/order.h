// Who happened before whom: the clocks of threads and synchronisation objects and the rules between them. The rules for
// atomics are figure 3.12 of "Dynamic Race Detection for C++11" (thesis, section 3.3) with its names:
//
//   C_t now, F_t^rel released, F_t^acq pending, L_x clock, V_x sequences
//
// By default a release sequence is C++20's: its head and read-modify-writes only, so that V_x is not needed. With
// Standard::kCxx11 a relaxed store of the thread that began a sequence continues it.
//
// After each release the thread's epoch moves on, so an epoch is released at most once; an object whose clock was
// assigned from slot s in epoch e is known to whoever has s at e or later, which saves most joins (`last`).
//
// Nothing here locks: a ThreadOrder belongs to its thread, a SyncOrder to whoever holds the lock of its address.
#pragma once

#include "runtime/detect/cell.h"
#include "runtime/detect/clock.h"

namespace heddle::rt::detect {

enum class Standard : uint8_t { kCxx20, kCxx11 };

struct ThreadOrder {
  uint32_t slot = 0;
  uint64_t epoch = 0;
  uint64_t learnt = 1;  // counts what `now` has learnt from others
  Clock now;
  Clock released;
  Cell released_segment = 0;  // of the last release fence; 0: none yet
  Clock pending;
  bool deaf = false;  // the program asked that nothing it does now orders threads

  void Begin(uint32_t its_slot, uint64_t its_epoch);
  void Tick() { now.Set(slot, ++epoch); }
  Cell Segment() const { return SegmentOf(slot, epoch); }
  bool Knows(Cell segment) const { return now.Get(SlotOf(segment)) >= EpochOf(segment); }
  void Learn(const Clock& clock) {
    if (now.Join(clock)) ++learnt;
  }
  void Clear();
};

// The release sequence that one thread began on a location (C++11 only).
struct Sequence {
  uint32_t slot;
  Clock clock;
  Sequence* next;
};

struct SyncOrder {
  Clock clock;
  Cell last = 0;        // the clock is a copy of this segment's thread; 0: it is a join of several
  uint64_t learnt = 0;  // of that thread then
  Sequence* sequences = nullptr;

  void Clear();
};

// The clock of an object handed over as a whole: locks, semaphores, joins.
void Acquire(ThreadOrder& thread, const SyncOrder& object);
void Release(ThreadOrder& thread, SyncOrder& object);  // joins into the object, then moves the epoch on

// Whether a load of the location teaches the thread nothing. May be asked without the lock by who can tell afterwards
// that nothing changed meanwhile.
bool IsKnownTo(const ThreadOrder& thread, const SyncOrder& location);
void LoadAtomic(ThreadOrder& thread, const SyncOrder& location, bool acquires);
void StoreAtomic(ThreadOrder& thread, SyncOrder& location, bool releases, Standard standard);
// The store part of a read-modify-write; LoadAtomic comes first.
void UpdateAtomic(ThreadOrder& thread, SyncOrder& location, bool releases, Standard standard);
void Fence(ThreadOrder& thread, bool acquires, bool releases);

}  // namespace heddle::rt::detect
