// A visible operation as a search sees it (docs/explore.md): what it touches, whether it may have to wait, what it does
// to those who wait. The target writes these, the search reads them. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::sched {

// Threads of one execution, named by an index that does not depend on the schedule.
inline constexpr uint32_t kMaxExplored = 64;

// What an operation does to its objects, as far as the question goes who can go on.
enum class Role : uint8_t {
  kAccess,       // nothing: an atomic, a failed attempt
  kLock,         // takes `object`; kShared: for reading
  kUnlock,       // gives `object` back
  kPost,         // raises a semaphore; `value`: what it was before
  kSemTake,      // lowers it; `value`: what it was before
  kSleepBegins,  // waits at `object` from now on; gives the lock `second` back if there is one
  kWake,         // that wait ends; has the lock `second` again
  kSignal,       // lets `value` of those that wait go on
  kAfter,        // follows something that cannot come later: a thread's begin, a join, the end of a barrier's round
  kChoice,       // the program asked for a number below `second`; it got `value`
  // C11 atomics (c11_graph.h), when their order in an execution does not decide what they read:
  kRead,    // read the store `value`; of one that sleeps, `second` is the step at which it fell asleep
  kWrite,   // is the store `own`, behind the store `value` in modification order
  kUpdate,  // both: read `value`, is `own`
};

enum ExploredFlags : uint8_t {
  kWrites = 1,     // does not commute with others on the object
  kShared = 2,     // a lock for reading
  kWaits = 4,      // could have had to wait
  kGlobal = 8,     // commutes with nothing: the end of the process
  kNoHold = 16,    // kLock: finds the object free and leaves it so
  kTimed = 32,     // kWake: needs no signal, only the lock
  kMayWrite = 64,  // did not write here, but would have in another state: a failed compare-and-swap, a failed attempt
};

struct ExploredEvent {
  uint64_t object = 0;  // 0: none
  uint64_t second = 0;  // another one
  uint64_t pc = 0;
  uint64_t enabled = 0;  // the threads that could have gone instead, and this one
  uint32_t value = 0;
  uint8_t thread = 0;
  uint8_t operation = 0;  // code of operation.h
  Role role = Role::kAccess;
  uint8_t flags = 0;
  uint32_t own = 0;      // the name of a store
  uint16_t options = 0;  // how many stores it could have read or followed; they stand in Execution::options
  uint16_t rank = 0;     // of the store `value` among those to its location, as they were performed

  bool Has(ExploredFlags flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(ExploredEvent) == 48);

inline constexpr uint32_t kBroadcast = UINT32_MAX;

// Keys for objects that are no addresses. Threads: fork and end write it, begin and join read it.
inline constexpr uint64_t ThreadKey(uint32_t thread) { return (uint64_t{1} << 63U) | thread; }

inline bool IsC11(const ExploredEvent& event) { return event.role >= Role::kRead; }
inline bool Reads(const ExploredEvent& event) { return event.role == Role::kRead || event.role == Role::kUpdate; }
inline uint64_t SecondObject(const ExploredEvent& event) {
  return event.role >= Role::kChoice || event.second == event.object ? 0 : event.second;
}

inline bool Touches(const ExploredEvent& event, uint64_t object) {
  return object != 0 && (event.object == object || SecondObject(event) == object);
}
inline bool ReadsFrom(const ExploredEvent& load, const ExploredEvent& store) {
  return store.own != 0 && Reads(load) && load.value == store.own;
}

// Whether two operations of different threads may not be swapped when they are neighbours.
inline bool Dependent(const ExploredEvent& a, const ExploredEvent& b) {
  if (a.thread == b.thread || a.Has(kGlobal) || b.Has(kGlobal)) return true;
  if (IsC11(a) && IsC11(b)) return ReadsFrom(a, b) || ReadsFrom(b, a);
  if (!a.Has(kWrites) && !b.Has(kWrites)) return false;
  return Touches(a, b.object) || Touches(a, SecondObject(b));
}

}  // namespace heddle::sched
