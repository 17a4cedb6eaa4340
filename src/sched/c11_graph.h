// An execution of C11 atomics as a graph: program order, which store each load read, the modification order of each
// location. It says which stores a load may read and where a store may stand so that the graph is consistent with RC11
// (Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing Sequential Consistency in C/C++11", PLDI 2017; release sequences of
// C++20; no load buffering, because only stores that were performed can be read):
//
//   coherence   hb ; eco? is irreflexive
//   atomicity   nothing stands between a read-modify-write and what it read
//   SC          psc is acyclic
//
// Consistency is a property of the graph, not of the order in which events were added, and every part of a graph that
// holds what its events depend on is consistent too. Reading the latest store and standing last is always consistent:
// such an event has no edges that lead out of it. So only other choices are checked against psc.
//
// Happens-before is kept in vector clocks of graph events. Locks, semaphores, thread creation and the like come in as
// Acquire and Release of an object. Freestanding, of fixed size, all zero at the beginning; explore/c11_test.cpp
// compares with the axioms as written.
#pragma once

#include <cstdint>

#include "trace/event_kind.h"
#include "wire/explored_event.h"

namespace heddle::sched {

struct C11Access {
  enum Kind : uint8_t { kLoad, kStore, kUpdate, kCompare } kind = kLoad;  // kCompare: an update if it finds `expected`
  trace::Order order = trace::Order::SeqCst;
  trace::Order failure = trace::Order::SeqCst;
  uint8_t thread = 0;
  uint8_t bytes = 0;
  uint64_t address = 0;
  uint64_t expected = 0;
  // Not 0: it is performed only when what it reads meets the condition, of which `expected` is the operand.
  uint8_t await_bits = 0;
  wire::Condition condition = wire::Condition::kNone;
};

class C11Graph {
 public:
  static constexpr uint32_t kMaxEvents = 4096;
  static constexpr uint32_t kMaxOptions = 128;
  static constexpr uint32_t kInitial = 0;  // the name of what a location held before its first store

  // What an access reads (a store: stands directly behind), named so that the name does not depend on the schedule.
  struct Option {
    uint32_t id;
    uint32_t rank;  // how many stores to the location were performed before it
  };

  // `present`: what memory holds, which is the last value of the modification order; if not, something that is not
  // watched wrote it, and the location begins anew. `since`, unless 0: one more than the number of the first step whose
  // stores count. Latest first.
  uint32_t Options(const C11Access& access, uint64_t present, uint32_t since, Option* options);
  // Whether there is one.
  bool Any(const C11Access& access, uint64_t present, uint32_t since);

  struct Performed {
    uint64_t read = 0;         // a load's or an update's
    uint32_t own = 0;          // the name of the store that it is; 0: none
    uint32_t rank = 0;         // of the store that it read or follows
    uint32_t before = 0;       // how many stores the location had
    uint32_t incarnation = 0;  // of the location: it may begin anew
    bool stores = false;       // it wrote
    bool last = false;         // ... and is the last in modification order: memory must hold it
  };
  // `written`: what is stored, in an update by what it reads: `next(read)`.
  template <typename Next>
  Performed Perform(const C11Access& access, uint64_t present, uint32_t choice, uint32_t step, Next next) {
    int32_t location = Locate(access, present);
    if (location < 0) return {};
    int32_t from = Find(location, choice);
    return Add(access, location, from, next(events_[from].value), step);
  }
  // The value of a choice; the choice is one of Options.
  uint64_t ValueOf(const C11Access& access, uint64_t present, uint32_t choice);
  // The choice that has the rank.
  uint32_t Ranked(const C11Access& access, uint64_t present, uint32_t rank);
  uint32_t Last(const C11Access& access, uint64_t present);

  void Fence(uint8_t thread, trace::Order order);
  void Acquire(uint8_t thread, uint64_t object);
  void Release(uint8_t thread, uint64_t object);
  // Memory that is used again has no history.
  void Forget(uint64_t address, uint64_t bytes);

  bool Overflowed() const { return overflowed_; }
  bool MixedSizes() const { return mixed_; }

  // For tests and reports: the events in the order in which they were added.
  enum class Kind : uint8_t { kInitial, kLoad, kStore, kUpdate, kFence, kSync };
  struct Shown {
    Kind kind;
    uint8_t thread;
    trace::Order order;
    uint64_t address;
    int32_t reads;  // event; 0: none
    int32_t older;  // the one before it in modification order; 0: none
  };
  uint32_t size() const { return count_; }  // events are numbered from 1
  Shown Show(uint32_t event) const;

 private:
  struct Clock {
    uint16_t of[wire::kMaxC11Threads];
  };
  struct Event {
    Kind kind;
    uint8_t thread;
    trace::Order order;
    uint16_t place;  // among its thread's, from 1
    int32_t location;
    int32_t reads;
    int32_t newer;  // in modification order
    int32_t older;
    int32_t first_reader;  // of this store
    int32_t next_reader;   // of the same store
    int32_t updated_by;
    int32_t previous;  // of the thread
    int32_t following;
    uint32_t id;
    uint32_t step;
    uint32_t rank;      // among the location's stores as performed
    uint32_t position;  // in modification order
    uint64_t value;
    Clock clock;   // what happens before it, and itself
    Clock handed;  // what a load that acquires gets from it
  };
  struct Location {
    uint64_t address;
    uint32_t stores;
    int32_t newest;
    uint8_t bytes;
  };
  struct Object {
    uint64_t key;
    Clock clock;
  };
  struct ThreadState {
    Clock now;
    Clock read;      // handed to relaxed loads: an acquire fence takes it
    Clock released;  // at the last release fence
    int32_t last;
    uint16_t events;
  };
  static constexpr uint32_t kMaxLocations = 2048;
  static constexpr uint32_t kMaxObjects = 1024;

  static void Join(Clock& clock, const Clock& other);
  bool Before(int32_t a, int32_t b) const;
  bool KnownTo(int32_t event, uint8_t thread) const;
  bool Binds(int32_t store, uint8_t thread) const;

  int32_t Locate(const C11Access& access, uint64_t present);
  int32_t NewEvent(Kind kind, uint8_t thread, trace::Order order);
  int32_t BeginLocation(const C11Access& access, uint64_t present);
  int32_t Find(int32_t location, uint32_t id) const;
  Performed Add(const C11Access& access, int32_t location, int32_t from, uint64_t written, uint32_t step);
  int32_t Build(const C11Access& access, int32_t location, int32_t from);
  void Link(int32_t event, int32_t from);
  void Unlink(int32_t event);
  void Number(int32_t location);
  void Enter(int32_t event);  // it is its thread's last
  bool Possible(const C11Access& access, int32_t store) const;
  bool Succeeds(const C11Access& access, int32_t store) const;
  bool Allowed(const C11Access& access, int32_t location, int32_t from);
  Object* ObjectOf(uint64_t key, bool make);

  bool IsSc(int32_t event) const { return events_[event].order == trace::Order::SeqCst && !IsFree(event); }
  bool IsFree(int32_t event) const {
    return events_[event].kind == Kind::kInitial || events_[event].kind == Kind::kSync;
  }
  bool IsScFence(int32_t event) const { return events_[event].kind == Kind::kFence && IsSc(event); }
  bool Writes(int32_t event) const {
    return events_[event].kind == Kind::kStore || events_[event].kind == Kind::kUpdate;
  }
  bool NewerThan(int32_t store, int32_t other) const;  // in modification order
  bool FromRead(int32_t load, int32_t store) const;
  bool Extended(int32_t x, int32_t y) const;  // eco
  bool ScBefore(int32_t x, int32_t y) const;  // scb
  bool OtherPlace(int32_t a, int32_t b) const;
  bool Cyclic(int32_t added);
  void StepFrom(int32_t x, bool base);
  template <typename Stop>
  bool ReachesBack(Stop stop);
  void BeginSearch();
  void ReachFrom(int32_t y, bool base);
  void Reach(int32_t node);

  Event events_[kMaxEvents];
  Location locations_[kMaxLocations];
  Object objects_[kMaxObjects];
  ThreadState threads_[wire::kMaxC11Threads];
  uint32_t count_;
  uint32_t location_count_;
  uint32_t sc_count_;
  bool overflowed_;
  bool mixed_;
  // While psc is searched.
  bool reached_[kMaxEvents];
  int32_t queue_[kMaxEvents];
  uint32_t queued_;
};

}  // namespace heddle::sched
