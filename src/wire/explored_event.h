// A visible operation as a search sees it (docs/explore.md): what it touches, whether it may have to wait, what it does
// to those who wait. The target writes these, the search reads them. Freestanding.
#pragma once

#include <cstdint>

#include "wire/thread_bits.h"

namespace heddle::wire {

// Threads of an execution that is sampled, and of one with C11 memory.
inline constexpr uint32_t kMaxSampled = 1024;
inline constexpr uint32_t kMaxC11Threads = 64;

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
  kWants,        // a writer queues at the lock `object`, which prefers writers: readers stay out until it has been in
  kAfter,        // follows something that cannot come later: a thread's begin, a join, the end of a barrier's round
  kReady,        // waits until a descriptor is ready; who waits for that is not in the set of enabled threads
  kChoice,       // the program asked for a number below `second`; it got `value`
  kAwait,        // a loop that waits for a value: performed when `condition` holds of what is there
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
  kTimed = 32,     // kWake: needs no signal; the lock is taken by an operation of its own
  kMayWrite = 64,  // whether it writes depends on the state (`condition`): a compare-and-swap, an attempt at a lock
};

// When an operation with kMayWrite writes. Memory: the value that it finds, as a number of `bytes` bytes.
enum class Condition : uint8_t {
  kNone,       // always, or never
  kEqual,      // the value is `operand`: a compare-and-swap; a futex that is waited at
  kDiffers,    // it is not: an exchange
  kOr,         // some bit of `operand` is not set
  kAnd,        // some bit is set that `operand` does not have
  kNand,       // the value is not what would be stored
  kFree,       // the lock can be taken (kShared: for reading)
  kAvailable,  // the semaphore is above zero
  kFirst,      // the routine has not been run
  // Awaits of a load: the lowest `await_bits` bits of the value, compared with `operand`.
  kIs,
  kIsNot,
  kBelow,
  kAbove,
  kNotBelow,
  kNotAbove,
  kLess,  // as numbers with a sign, from here on
  kGreater,
  kNotLess,
  kNotGreater,
};

// Operations whose order among themselves nobody can tell: two of one kind on the same object commute although both
// write (docs/explore.md, "Operations that commute"). Memory: what was there is not looked at, and `operand` is added,
// ...
enum class Commutes : uint8_t {
  kNo,
  kAdds,
  kOrs,
  kAnds,
  kXors,
  kArrives,  // at a barrier, in the same round; who is the last one does not matter
};

struct ExploredEvent {
  uint64_t object = 0;  // 0: none
  uint64_t second = 0;  // another one
  uint64_t pc = 0;
  ThreadBits enabled;    // the threads that could have gone instead, and this one; samples: the first kMaxExplored
  uint64_t operand = 0;  // of the condition
  uint64_t before = 0;   // an access to memory: the eight aligned bytes around it, before it was performed
  uint32_t value = 0;
  uint32_t own = 0;  // the name of a store
  uint16_t thread = 0;
  uint16_t options = 0;   // how many stores it could have read or followed; they stand in Execution::options
  uint16_t rank = 0;      // of the store `value` among those to its location, as they were performed
  uint8_t operation = 0;  // code of operation.h
  Role role = Role::kAccess;
  uint8_t flags = 0;
  Condition condition = Condition::kNone;
  uint8_t bytes = 0;       // an access to memory: so many from `object` on; 0: the object is a whole
  uint8_t await_bits = 0;  // not 0: an await. A load: its condition looks at so many bits
  Commutes commutes = Commutes::kNo;
  uint8_t unused[3] = {};

  bool Has(ExploredFlags flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(ExploredEvent) == 96);  // compared as bytes

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

// Accesses to memory meet when they overlap; other objects are the same or not.
inline bool Meet(const ExploredEvent& a, const ExploredEvent& b) {
  if (a.bytes != 0 && b.bytes != 0) return a.object < b.object + b.bytes && b.object < a.object + a.bytes;
  return Touches(a, b.object) || Touches(a, SecondObject(b));
}

// Whether the operation writes when it finds `value`; for conditions on memory.
inline bool WritesAt(const ExploredEvent& event, uint64_t value) {
  uint64_t all = event.bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8U * event.bytes) - 1;
  uint64_t operand = event.operand & all;
  switch (event.condition) {
    case Condition::kEqual:
      return value == operand;
    case Condition::kDiffers:
      return value != operand;
    case Condition::kOr:
      return (value | operand) != value;
    case Condition::kAnd:
      return (value & operand) != value;
    case Condition::kNand:
      return (~(value & operand) & all) != value;
    default:
      return true;
  }
}

// Whether an await can be performed when it finds `value`; of what has its fields. One that writes can when it would.
template <typename Await>
bool AwaitMet(const Await& await, uint64_t value, uint64_t operand) {
  uint64_t all = await.await_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << await.await_bits) - 1;
  uint64_t sign = await.condition >= Condition::kLess ? all ^ (all >> 1U) : 0;  // makes the lowest number zero
  uint64_t seen = (value & all) ^ sign;
  operand = (operand & all) ^ sign;
  switch (await.condition) {
    case Condition::kEqual:
    case Condition::kIs:
      return seen == operand;
    case Condition::kDiffers:
    case Condition::kIsNot:
      return seen != operand;
    case Condition::kOr:
      return (seen | operand) != seen;
    case Condition::kBelow:
    case Condition::kLess:
      return seen < operand;
    case Condition::kAbove:
    case Condition::kGreater:
      return seen > operand;
    case Condition::kNotBelow:
    case Condition::kNotLess:
      return seen >= operand;
    case Condition::kNotAbove:
    case Condition::kNotGreater:
      return seen <= operand;
    default:
      return true;
  }
}

// What memory has behind an operation that commutes, of the value before it.
inline uint64_t ValueBehind(const ExploredEvent& event, uint64_t value) {
  switch (event.commutes) {
    case Commutes::kAdds:
      return value + event.operand;
    case Commutes::kOrs:
      return value | event.operand;
    case Commutes::kAnds:
      return value & event.operand;
    case Commutes::kXors:
      return value ^ event.operand;
    default:
      return value;
  }
}

// Whether the order of the two decides nothing although both write the same object.
inline bool Commute(const ExploredEvent& a, const ExploredEvent& b) {
  return a.commutes != Commutes::kNo && a.commutes == b.commutes && a.object == b.object && a.bytes == b.bytes &&
         a.second == b.second;
}

// Whether two operations of different threads may not be swapped when they are neighbours.
inline bool Dependent(const ExploredEvent& a, const ExploredEvent& b) {
  if (a.thread == b.thread || a.Has(kGlobal) || b.Has(kGlobal)) return true;
  if (Commute(a, b)) return false;
  if (IsC11(a) && IsC11(b)) return ReadsFrom(a, b) || ReadsFrom(b, a);
  if (!a.Has(kWrites) && !b.Has(kWrites)) return false;
  return Meet(a, b);
}

// A step that a search asks for.
inline constexpr uint32_t kAnyValue = UINT32_MAX;

struct PlannedStep {
  uint16_t thread;
  uint32_t value;  // of a choice: the number; of a C11 atomic: the store; kAnyValue: whatever comes first
};

}  // namespace heddle::wire
