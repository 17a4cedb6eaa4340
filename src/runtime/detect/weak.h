// Weak behaviours: which older stores of an atomic location a load may still read (section 3.4 of "Dynamic Race
// Detection for C++11", made strict enough for C++20 as well).
//
// Each location keeps its latest stores in modification order, which is the order in which they were made. The total
// order S of sequentially consistent operations is the order in which they were made, too. A load may read a store if
// no event at a later place of the modification order (a store, or a load that read it) binds the load. Event e binds
// load r:
//   1. e happens before r                                     (coherence)
//   2. both are seq_cst                                       (S)
//   3. r is seq_cst, e happens before a seq_cst fence made before r
//   4. e is seq_cst and was made before a seq_cst fence that happens before r
//   5. e happens before a seq_cst fence Y, made before or as a seq_cst fence X that happens before r
// The thesis asks "sequenced before" where 3 to 5 say "happens before"; ours allows less, so what it shows is allowed
// by C++11 and by C++20. Read-modify-writes and failed compare-exchanges read the latest store. weak_test.cpp compares
// with an axiomatic model on small programs.
//
// Memory is bounded: so many stores for each location, so many overall; the oldest go first. A location without room
// for who read a store treats that store as binding everybody, which only allows less.
#pragma once

#include <cstdint>

#include "runtime/detect/order.h"

namespace heddle::rt::detect {

struct WeakEvent {
  uint32_t slot;
  uint64_t epoch;
  uint64_t time;  // in S; 0: not seq_cst
};

inline constexpr uint32_t kMaxReaders = 6;

struct StoreElement {
  uint64_t value;
  WeakEvent store;
  SyncOrder order;  // what a load that reads it acquires
  uint32_t readers_count;
  bool binds_all;                  // it was there before everybody, or has too many readers
  WeakEvent readers[kMaxReaders];  // the first load of each thread that read it, with its first time in S
};

// The stores of one location, oldest first. All zero is the initial state.
struct StoreBuffer {
  StoreElement* ring;
  uint32_t capacity;
  uint32_t first;
  uint32_t count;
  uint32_t bytes;  // size of the location; ToldPlace::incarnation when somebody else chooses

  StoreElement& At(uint32_t i) { return ring[(first + i) % capacity]; }
  void Clear();
};

// Chooses among `count` stores, 0 the oldest; the oldest with one half, the next with one quarter, and so on.
class StoreChoice {
 public:
  explicit StoreChoice(uint64_t seed = 0) : state_(seed) {}
  uint32_t Pick(uint32_t count);

 private:
  uint64_t state_;
};

// What sequentially consistent fences have done so far. One for the process, behind one lock; the tests have their own.
class ScFences {
 public:
  uint64_t Tick() { return ++time_; }
  // A fence of the thread, before its epoch moves on.
  void Add(const ThreadOrder& thread);
  // Of the latest fence that happens before the thread's present: its time (0: there is none) and `known` then.
  uint64_t LatestBefore(const ThreadOrder& thread, const Clock** known) const;
  const Clock& known() const { return known_; }  // everything that happens before some fence
  void Clear();

 private:
  struct Past {
    uint64_t epoch;
    uint64_t time;
    Clock known;
  };
  static constexpr uint32_t kPasts = 4;  // latest fences of a thread; an older one counts as the oldest of these
  struct OfSlot {
    uint32_t count;  // ever
    Past past[kPasts];
  };

  uint64_t time_ = 0;
  Clock known_;
  OfSlot* slots_[kMaxSlots] = {};
  uint32_t used_slots_ = 0;  // no slot from here on has one
};

// The location's stores begin with what memory held, known to everybody, when first used or when `present` is not the
// latest store (something that is not watched wrote it), or when the size is another one.
void SynchroniseStores(StoreBuffer& stores, uint64_t present, uint32_t bytes);

// A store, or the store of a read-modify-write: `event` has the epoch before it moved on, `after` is the location's
// clock now. Keeps at most `limit` stores.
void AddStore(StoreBuffer& stores, const WeakEvent& event, uint64_t value, const SyncOrder& after, uint32_t limit);

// How many of the latest stores a load may read, at least 1 (SynchroniseStores came before).
uint32_t ReadableStores(StoreBuffer& stores, const ThreadOrder& thread, bool seq_cst, const ScFences& fences);

// Notes that `event` read the store.
void NoteReader(StoreElement& store, const WeakEvent& event);

}  // namespace heddle::rt::detect
