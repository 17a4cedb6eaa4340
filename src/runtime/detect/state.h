// What the detector knows about threads: the state of a running one, the slots whose numbers stand in clocks and cells,
// and a record of every thread there ever was.
//
// A slot is used again by another thread when its last owner has ended; epochs go on where it stopped. A new thread
// takes the slot of an ended one only if that one's end happened before the new one's creation, so no race between the
// two can exist and none is lost; only when all kMaxSlots are taken does the longest ended one have to do.
#pragma once

#include <cstdint>

#include "runtime/detect/history.h"
#include "runtime/detect/order.h"
#include "runtime/detect/weak.h"
#include "runtime/threads/thread.h"

namespace heddle::rt::detect {

struct SyncObject;

// A lock that a thread holds. `path` is the depot's path of the locks held up to this one.
struct HeldLock {
  uint64_t address;
  uint64_t serial;
  uint64_t pc;
  uint32_t stack;  // depot node where it was taken
  uint32_t depth;
  uint32_t path;
  bool shared;
};

// What a thread waits for; read by others under the waits lock (waits.cpp).
enum class WaitFor : uint8_t { kNothing, kLock, kJoin, kCond, kSem, kBarrier };
struct Wait {
  WaitFor kind = WaitFor::kNothing;
  bool shared = false;
  bool timed = false;
  bool stuck = false;  // by the last check
  bool reported = false;
  uint32_t target = 0;  // of a join
  uint32_t stack = 0;
  uint64_t object = 0;
  uint64_t pc = 0;
  uint64_t phase = 0;  // of a barrier
};

// An atomic access that the cells have: the same one again in the same epoch is nothing new, since no other thread's
// access can follow it before the epoch ends. Forgotten when the thread allocates or frees memory.
// `version` is that of the stripe when all that the operation could learn was known (atomic_turn.h).
inline constexpr uint64_t kNoVersion = UINT64_MAX;  // odd: no stripe at rest has it
struct RecentAtomic {
  uint64_t access;  // address, size, whether it writes, whether it acquires
  Cell segment;
  uint64_t version;
  static RecentAtomic Of(Cell segment, uint64_t address, uint32_t bytes, bool stores, bool acquires) {
    return {address << 7U | uint64_t{bytes} << 2U | (acquires ? 2U : 0U) | (stores ? 1U : 0U), segment, kNoVersion};
  }
};
inline constexpr uint32_t kRecentAtomics = 16;

struct DetectThread {
  ThreadOrder order;
  Clock must;  // happens-before that no lock causes, for lock orders
  uint64_t must_epoch = 1;
  uint32_t number = 0;
  History* history = nullptr;
  HeldLock* held = nullptr;
  uint32_t held_count = 0;
  uint32_t held_capacity = 0;
  uint32_t locks = 0;  // the same as a depot path
  uint32_t victim = 0;
  int ignored_sync = 0;                   // > 0: order.deaf
  int ignored_before[kMaxHandlers] = {};  // the same for what each running handler interrupted
  uint64_t barrier_phase = 0;
  RecentAtomic recent[kRecentAtomics];
  StoreChoice choice;      // with --weak
  uint32_t chosen = 0;     // which store of its location the load under way reads
  bool in_stripe = false;  // an atomic operation is under way, its address's stripe held
  Wait wait;
  DetectThread* next = nullptr;  // live ones, for waits.cpp
};

// By the word; loads and stores of one location do not drive each other out.
constexpr uint32_t RecentPlace(const RecentAtomic& atomic) {
  return static_cast<uint32_t>(atomic.access >> 10U ^ atomic.access << 3U) % kRecentAtomics;
}
inline bool IsRecent(const DetectThread* self, const RecentAtomic& atomic) {
  const RecentAtomic& known = self->recent[RecentPlace(atomic)];
  return known.access == atomic.access && known.segment == atomic.segment;
}
inline void ForgetAtomics(DetectThread* self) {
  for (RecentAtomic& recent : self->recent) recent.access = 0;
}

struct ThreadRecord {
  uint32_t parent = 0;
  uint32_t slot = 0;
  uint64_t first_epoch = 0;
  uint64_t created_pc = 0;
  uint32_t created_stack = 0;
  bool known = false;
  bool ended = false;
  bool joined = false;
  bool detached = false;
  bool cancelled = false;  // pthread_cancel was called for it, perhaps before it began
  Clock start;             // of the creator, until the thread begins
  Clock end;               // until it is joined
  Clock must;              // the same two for `must`
  Clock must_end;
};

inline constexpr uint32_t kMaxThreads = 1U << 18U;

bool StartState();
ThreadRecord* RecordOf(uint32_t number);  // null beyond kMaxThreads

// Chooses a slot for a thread that `creator` (null: nobody we know) makes. False when every slot is in use.
bool TakeSlot(const ThreadOrder* creator, uint32_t number, uint32_t* slot, uint64_t* first_epoch);
void EndSlot(uint32_t slot, uint64_t last_epoch);
// In a child of fork: the other threads are gone, and all they did is known.
void EndOtherSlots(ThreadOrder& self);
History* HistoryOf(uint32_t slot);
// Who had the slot in that epoch.
uint32_t OwnerOf(uint32_t slot, uint64_t epoch);
void LockSlots();
void UnlockSlots();

// The calling thread's; null when it is not watched.
inline DetectThread* Self() {
  Thread* thread = t_hot.thread;
  if (thread == nullptr) [[unlikely]]
    thread = CurrentThread();
  return thread == nullptr ? nullptr : thread->detect;
}

// Depot node of the calling thread's stack.
uint32_t NumberStack();
inline uint32_t CurrentStack() {
  Frame* top = t_hot.top;
  bool known = top > t_hot.bottom && top <= t_hot.limit && top[-1].node != 0;
  return known ? top[-1].node : NumberStack();
}

}  // namespace heddle::rt::detect
