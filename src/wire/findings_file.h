// The findings file that a target leaves (docs/detect.md has the fields of its lines): every word and flag that stands
// in it, in one table for the runtime, which writes them, and for detect/ and sched/, which read them. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::wire {

inline constexpr char kFindingsHead[] = "heddle-detect 1\n";

// What a line is to those around it: a group begins with one and ends at `end`, with parts between.
enum class LineShape : uint8_t { kGroup, kPart, kSingle };

// LINE(constant, word, shape), the word being the first of the line.
#define HEDDLE_FINDING_LINES(LINE)                                                                  \
  LINE(Race, "race", kGroup)                /* two accesses that nothing orders */                  \
  LINE(Misuse, "misuse", kGroup)            /* a primitive used against its rules */                \
  LINE(Edge, "edge", kGroup)                /* a lock taken while another was held */               \
  LINE(Deadlock, "deadlock", kGroup)        /* threads that wait for ever */                        \
  LINE(Hang, "hang", kGroup)                /* all wait, and only something outside can end that */ \
  LINE(Assertion, "assertion", kGroup)      /* a failed assert */                                   \
  LINE(Created, "created", kGroup)          /* a thread, and who created it where */                \
  LINE(Stopped, "stopped", kGroup)          /* the step at which the user wanted to stop */         \
  LINE(Access, "access", kPart)             /* of a race, of a misuse of memory */                  \
  LINE(Block, "block", kPart)               /* of the same: the heap block */                       \
  LINE(Ordered, "ordered", kPart)           /* of a race: the free came first */                    \
  LINE(Stack, "stack", kPart)               /* of the line before */                                \
  LINE(Locks, "locks", kPart)               /* held at an access or a misuse */                     \
  LINE(Held, "held", kPart)                 /* of an edge: all locks held then */                   \
  LINE(Must, "must", kPart)                 /* of an edge: the order that no lock causes */         \
  LINE(Waits, "waits", kPart)               /* of a deadlock or hang: one thread */                 \
  LINE(Holds, "holds", kPart)               /* a lock of the thread in the line before */           \
  LINE(Stands, "stands", kPart)             /* of stopped: one thread */                            \
  LINE(File, "file", kPart)                 /* of an assertion */                                   \
  LINE(Function, "function", kPart)         /* of an assertion */                                   \
  LINE(Text, "text", kPart)                 /* of an assertion */                                   \
  LINE(End, "end", kPart)                   /* of a group */                                        \
  LINE(Count, "count", kSingle)             /* how often a race was seen */                         \
  LINE(Finished, "finished", kSingle)       /* the process ended in the ordinary way */             \
  LINE(Resumed, "resumed", kSingle)         /* takes the last hang back */                          \
  LINE(Seccomp, "seccomp", kSingle)         /* the program forbids calls from here on */            \
  LINE(Option, "option", kSingle)           /* of ThreadSanitizer, by the program */                \
  LINE(Suppression, "suppression", kSingle) /* of ThreadSanitizer, by the program */                \
  LINE(Allocator, "allocator", kSingle)     /* cannot be followed: nothing was watched */           \
  LINE(Limit, "limit", kSingle)             /* asked for and not applied */                         \
  LINE(Full, "full", kSingle)               /* more races than are kept */                          \
  LINE(EdgesFull, "edges-full", kSingle)    /* more lock orders than are kept */                    \
  LINE(Diverged, "diverged", kSingle)       /* a replay left its schedule */                        \
  LINE(Output, "output", kSingle)           /* a replay printed something else */

enum class FindingLine : uint8_t {
#define HEDDLE_LINE(name, word, shape) k##name,
  HEDDLE_FINDING_LINES(HEDDLE_LINE)
#undef HEDDLE_LINE
      kUnknown  // also: a line of another kind (the text of traces: modules, threads)
};

// What a thread of a deadlock waits for.
#define HEDDLE_WAITS(WAIT) \
  WAIT(Lock, "lock")       \
  WAIT(Join, "join")       \
  WAIT(Cond, "cond")       \
  WAIT(Sem, "sem")         \
  WAIT(Barrier, "barrier") \
  WAIT(Futex, "futex")     \
  WAIT(Once, "once")       \
  WAIT(Call, "call") /* any other call */

enum class WaitKind : uint8_t {
#define HEDDLE_WAIT(name, word) k##name,
  HEDDLE_WAITS(HEDDLE_WAIT)
#undef HEDDLE_WAIT
      kUnknown
};

// Primitives used against their rules; findings keep these words, so they are part of fingerprints.
#define HEDDLE_MISUSES(MISUSE)               \
  MISUSE(UnlockFree, "unlock-free")          \
  MISUSE(UnlockOther, "unlock-other")        \
  MISUSE(DoubleLock, "double-lock")          \
  MISUSE(DestroyLocked, "destroy-locked")    \
  MISUSE(FreeLocked, "free-locked")          \
  MISUSE(ExitLocked, "exit-locked")          \
  MISUSE(WaitUnlocked, "wait-unlocked")      \
  MISUSE(LockInHandler, "lock-in-handler")   \
  MISUSE(JoinTwice, "join-twice")            \
  MISUSE(UseDestroyed, "use-destroyed")      \
  MISUSE(DestroyUsed, "destroy-used")        \
  MISUSE(FreeUsed, "free-used")              \
  MISUSE(InitUsed, "init-used")              \
  MISUSE(WrongMode, "wrong-mode")            \
  MISUSE(AllocInHandler, "alloc-in-handler") \
  MISUSE(FreeInHandler, "free-in-handler")   \
  MISUSE(ExitIgnoring, "exit-ignoring")      \
  MISUSE(OutOfBounds, "out-of-bounds")       \
  MISUSE(BadFree, "bad-free")                \
  MISUSE(Uninitialised, "uninitialised")     \
  MISUSE(DeadStack, "dead-stack")

enum class Misuse : uint8_t {
#define HEDDLE_MISUSE(name, word) k##name,
  HEDDLE_MISUSES(HEDDLE_MISUSE)
#undef HEDDLE_MISUSE
      kUnknown
};

// Why a replay diverged.
#define HEDDLE_DIVERGENCES(DIVERGENCE)                             \
  DIVERGENCE(Operation, "operation") /* it came to another one */  \
  DIVERGENCE(Blocked, "blocked")     /* it has to wait there */    \
  DIVERGENCE(Ended, "ended")         /* the thread has ended */    \
  DIVERGENCE(Absent, "absent")       /* there is no such thread */ \
  DIVERGENCE(Call, "call")           /* another system call */

enum class DivergedBy : uint8_t {
#define HEDDLE_DIVERGENCE(name, word) k##name,
  HEDDLE_DIVERGENCES(HEDDLE_DIVERGENCE)
#undef HEDDLE_DIVERGENCE
      kUnknown
};

// The flags of `access`.
inline constexpr uint8_t kAccessWrite = 1;
inline constexpr uint8_t kAccessAtomic = 2;
inline constexpr uint8_t kAccessFree = 4;  // the block was given back
// Behind a lock of `locks` that is held shared.
inline constexpr char kSharedMark[] = "s";

namespace table {
#define HEDDLE_WORD(name, word) word,
#define HEDDLE_LINE_WORD(name, word, shape) word,
#define HEDDLE_LINE_SHAPE(name, word, shape) LineShape::shape,
inline constexpr const char* kLines[] = {HEDDLE_FINDING_LINES(HEDDLE_LINE_WORD)};
inline constexpr LineShape kShapes[] = {HEDDLE_FINDING_LINES(HEDDLE_LINE_SHAPE)};
inline constexpr const char* kWaits[] = {HEDDLE_WAITS(HEDDLE_WORD)};
inline constexpr const char* kMisuses[] = {HEDDLE_MISUSES(HEDDLE_WORD)};
inline constexpr const char* kDivergences[] = {HEDDLE_DIVERGENCES(HEDDLE_WORD)};
#undef HEDDLE_WORD
#undef HEDDLE_LINE_WORD
#undef HEDDLE_LINE_SHAPE
}  // namespace table

constexpr const char* WordOf(FindingLine line) { return table::kLines[static_cast<int>(line)]; }
constexpr const char* WordOf(WaitKind wait) { return table::kWaits[static_cast<int>(wait)]; }
constexpr const char* WordOf(Misuse misuse) { return table::kMisuses[static_cast<int>(misuse)]; }
constexpr const char* WordOf(DivergedBy why) { return table::kDivergences[static_cast<int>(why)]; }

// For readers: the value whose word this is; kUnknown when there is none. `Word` compares with a C string.
template <typename Enum, typename Word>
constexpr Enum FromWord(const Word& word) {
  int at = 0;
  while (at < static_cast<int>(Enum::kUnknown) && word != WordOf(static_cast<Enum>(at))) ++at;
  return static_cast<Enum>(at);
}

constexpr bool BeginsGroup(FindingLine line) {
  return line != FindingLine::kUnknown && table::kShapes[static_cast<int>(line)] == LineShape::kGroup;
}

}  // namespace heddle::wire
