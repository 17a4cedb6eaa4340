// The kinds of events in a trace: one table for the runtime, the file format, the converters and the documents
// (docs/trace-format.md lists the same fields).
//
// Freestanding: the runtime that lives in the target includes this file.
#pragma once

#include <cstdint>

namespace heddle::trace {

// HEDDLE_EVENT(Name, "text", words): `words` counts the 64-bit arguments that follow address and code address in the
// record; ordered events have their place in the global order as argument 0.
//
// Plain events have an order only within their thread's segment. The runtime drops repeats within a segment.
#define HEDDLE_PLAIN_EVENTS(HEDDLE_EVENT)    \
  HEDDLE_EVENT(Read, "read", 0)              \
  HEDDLE_EVENT(Write, "write", 0)            \
  HEDDLE_EVENT(ReadRange, "read_range", 2)   \
  HEDDLE_EVENT(WriteRange, "write_range", 2) \
  HEDDLE_EVENT(Frame, "frame", 0)            \
  HEDDLE_EVENT(Stack, "stack", 0)            \
  HEDDLE_EVENT(StackReset, "stack_reset", 0)

// Ordered events: argument 0 is the sequence number, argument 1 is `arg`, then `arg2` and `arg3`.
#define HEDDLE_ORDERED_EVENTS(HEDDLE_EVENT)          \
  HEDDLE_EVENT(ThreadBegin, "begin", 4)              \
  HEDDLE_EVENT(ThreadEnd, "end", 2)                  \
  HEDDLE_EVENT(ThreadFork, "fork", 2)                \
  HEDDLE_EVENT(ThreadForkFailed, "fork_failed", 2)   \
  HEDDLE_EVENT(ThreadJoin, "join", 2)                \
  HEDDLE_EVENT(ThreadDetach, "detach", 2)            \
  HEDDLE_EVENT(LockInit, "lock_init", 2)             \
  HEDDLE_EVENT(LockDestroy, "lock_destroy", 2)       \
  HEDDLE_EVENT(LockBlock, "lock_block", 2)           \
  HEDDLE_EVENT(Lock, "lock", 2)                      \
  HEDDLE_EVENT(Unlock, "unlock", 2)                  \
  HEDDLE_EVENT(CondInit, "cond_init", 2)             \
  HEDDLE_EVENT(CondDestroy, "cond_destroy", 2)       \
  HEDDLE_EVENT(CondSignal, "signal", 2)              \
  HEDDLE_EVENT(CondBroadcast, "broadcast", 2)        \
  HEDDLE_EVENT(CondWait, "wait", 2)                  \
  HEDDLE_EVENT(CondWake, "wake", 4)                  \
  HEDDLE_EVENT(BarrierInit, "barrier_init", 2)       \
  HEDDLE_EVENT(BarrierDestroy, "barrier_destroy", 2) \
  HEDDLE_EVENT(BarrierEnter, "barrier_enter", 2)     \
  HEDDLE_EVENT(BarrierExit, "barrier_exit", 2)       \
  HEDDLE_EVENT(SemInit, "sem_init", 2)               \
  HEDDLE_EVENT(SemDestroy, "sem_destroy", 2)         \
  HEDDLE_EVENT(SemBlock, "sem_block", 2)             \
  HEDDLE_EVENT(SemWait, "sem_wait", 2)               \
  HEDDLE_EVENT(SemPost, "sem_post", 2)               \
  HEDDLE_EVENT(OnceBegin, "once_begin", 2)           \
  HEDDLE_EVENT(OnceEnd, "once_end", 2)               \
  HEDDLE_EVENT(OncePass, "once_pass", 2)             \
  HEDDLE_EVENT(FutexWait, "futex_wait", 2)           \
  HEDDLE_EVENT(FutexWake, "futex_wake", 2)           \
  HEDDLE_EVENT(AtomicLoad, "atomic_load", 2)         \
  HEDDLE_EVENT(AtomicStore, "atomic_store", 2)       \
  HEDDLE_EVENT(AtomicRmw, "atomic_rmw", 4)           \
  HEDDLE_EVENT(AtomicCas, "atomic_cas", 4)           \
  HEDDLE_EVENT(AtomicHigh, "atomic_high", 4)         \
  HEDDLE_EVENT(Fence, "fence", 2)                    \
  HEDDLE_EVENT(Alloc, "alloc", 2)                    \
  HEDDLE_EVENT(Free, "free", 2)                      \
  HEDDLE_EVENT(Map, "map", 2)                        \
  HEDDLE_EVENT(Unmap, "unmap", 2)                    \
  HEDDLE_EVENT(Acquire, "acquire", 2)                \
  HEDDLE_EVENT(Release, "release", 2)                \
  HEDDLE_EVENT(FdRead, "fd_read", 2)                 \
  HEDDLE_EVENT(FdWrite, "fd_write", 2)               \
  HEDDLE_EVENT(FdClose, "fd_close", 2)               \
  HEDDLE_EVENT(User, "user", 4)                      \
  HEDDLE_EVENT(ProcessFork, "process_fork", 2)       \
  HEDDLE_EVENT(ProcessExec, "process_exec", 2)       \
  HEDDLE_EVENT(ProcessExit, "process_exit", 2)       \
  HEDDLE_EVENT(SignalBegin, "signal_begin", 2)       \
  HEDDLE_EVENT(SignalEnd, "signal_end", 2)           \
  HEDDLE_EVENT(OrderedRead, "ordered_read", 2)       \
  HEDDLE_EVENT(OrderedWrite, "ordered_write", 2)     \
  HEDDLE_EVENT(Skip, "skip", 2)                      \
  HEDDLE_EVENT(FdOpen, "fd_open", 2)                 \
  HEDDLE_EVENT(UserMore, "user_more", 4)

enum class Kind : uint8_t {
  None = 0,
#define HEDDLE_EVENT(name, text, words) name,
  HEDDLE_PLAIN_EVENTS(HEDDLE_EVENT) HEDDLE_ORDERED_EVENTS(HEDDLE_EVENT)
#undef HEDDLE_EVENT
      Count
};

inline constexpr int kKinds = static_cast<int>(Kind::Count);

inline constexpr uint8_t kKindWords[kKinds] = {0,
#define HEDDLE_EVENT(name, text, words) words,
                                               HEDDLE_PLAIN_EVENTS(HEDDLE_EVENT) HEDDLE_ORDERED_EVENTS(HEDDLE_EVENT)
#undef HEDDLE_EVENT
};

constexpr bool IsKind(uint8_t value) { return value > 0 && value < kKinds; }
constexpr bool IsOrdered(Kind kind) { return kind >= Kind::ThreadBegin; }
constexpr bool IsPlainAccess(Kind kind) { return kind >= Kind::Read && kind <= Kind::WriteRange; }
constexpr bool IsRange(Kind kind) { return kind == Kind::ReadRange || kind == Kind::WriteRange; }
constexpr bool IsAtomic(Kind kind) { return kind >= Kind::AtomicLoad && kind <= Kind::AtomicHigh; }

// How many 16-byte slots a record takes: address and code address, then the arguments in pairs.
constexpr uint32_t SlotsOf(Kind kind) { return 1U + kKindWords[static_cast<uint8_t>(kind)] / 2U; }

// Field `detail` of lock events: class, mode and manner.
enum class LockClass : uint8_t { Mutex, RwLock, Spin, Annotated };
enum class Manner : uint8_t { Block, Try, Timed };
struct LockDetail {
  LockClass lock_class = LockClass::Mutex;
  bool shared = false;
  Manner manner = Manner::Block;
  constexpr uint8_t Pack() const {
    return static_cast<uint8_t>(static_cast<uint8_t>(lock_class) | (shared ? 4U : 0U) |
                                static_cast<uint8_t>(static_cast<uint8_t>(manner) << 3U));
  }
  static constexpr LockDetail Unpack(uint8_t byte) {
    return {static_cast<LockClass>(byte & 3U), (byte & 4U) != 0, static_cast<Manner>((byte >> 3U) & 3U)};
  }
};

// Field `result`: how the operation ended.
enum class Outcome : uint8_t { Success, Busy, Timeout, Error };

// Field `order` of atomics and fences: the C++ memory order in the numbering of the compilers.
enum class Order : uint8_t { Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };

// Field `detail` of plain accesses: the size in bytes. Field `result` of plain accesses: flags.
inline constexpr uint8_t kAccessVptr = 1;

// Field `result` of AtomicRmw: the operation.
enum class RmwOp : uint8_t { Exchange, Add, Sub, And, Or, Xor, Nand };

// Field `detail` of SemWait: the Manner. Field `detail` of Alloc: how the block came to be.
enum class AllocHow : uint8_t { Malloc, Calloc, Realloc, Aligned };

}  // namespace heddle::trace
