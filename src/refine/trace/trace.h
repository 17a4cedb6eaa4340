// The trace of one thread of one build: its accesses to shared memory, its lock operations, and what the environment
// wrote when it took a lock (docs/refine.md).
//
// Shared memory is flat: each symbol (a global variable) has a range of places, place = Symbol::base + offset. A byte
// belongs to a memory location of C11: a scalar, or a run of adjacent bit-fields, in any case a range. Padding belongs
// to none and is not recorded. The first event locks, and the last of a thread that ended unlocks, kThreadLock:
// starting a thread acquires and ending it releases, so its accesses before the first lock and after the last unlock
// are covered too.
//
// Plain values; distinct objects may be used from distinct threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::refine {

enum class EventKind : uint8_t {
  kRead,
  kWrite,
  kLock,
  kUnlock,
  kEnvironment,  // the environment wrote this, while the thread waited for the lock just before
};

// 16 bytes, as in the file. `place` is a place, or an index into Trace::locks.
struct Event {
  uint32_t place = 0;
  uint32_t meta = 0;  // kind, size and source line
  uint64_t value = 0;

  static Event Make(EventKind kind, uint32_t place, uint32_t size, uint64_t value, uint32_t line) {
    uint32_t shown = line < (1U << 24) ? line : (1U << 24) - 1;
    return {place, static_cast<uint32_t>(kind) | size << 4 | shown << 8, value};
  }
  EventKind kind() const { return static_cast<EventKind>(meta & 15); }
  uint32_t size() const { return meta >> 4 & 15; }  // bytes, 1 to 8; 0 for lock operations
  uint32_t line() const { return meta >> 8; }       // 0: unknown
  bool is_sync() const { return kind() == EventKind::kLock || kind() == EventKind::kUnlock; }
  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 16);

// What a byte of a symbol is, from the debug information.
struct ByteInfo {
  enum Content : uint8_t {
    kInteger,
    kBool,
    kPointer,
    kFloat,
    kDouble,
    kAtomic,
    kOther,
    kStatic,   // of a variable that only its file sees: compilers know all its uses, so it cannot be compared
    kUnknown,  // no debug information
  };
  uint32_t location = 0;  // offset of the first byte of its memory location
  uint8_t mask = 0xff;    // the bits that mean something; 0: padding
  uint8_t content = kOther;
  uint8_t unit = 1;  // bytes of the scalar that it is part of
  bool is_volatile = false;

  bool operator==(const ByteInfo&) const = default;
};

struct Symbol {
  std::string name;
  uint64_t address = 0;  // in the emulated memory
  uint32_t base = 0;     // its first place
  std::vector<uint8_t> initial;
  std::vector<ByteInfo> bytes;  // one for each byte

  uint32_t size() const { return static_cast<uint32_t>(initial.size()); }
};

// How the run ended. Only kEnded can be compared.
enum class RunEnd : uint8_t {
  kEnded,
  kStepLimit,
  kLeftCode,      // an access or a jump outside of the program
  kWroteOutside,  // a write into the unused bytes between variables
  kUnknownCall,   // of a function that is not in the program
  kSystemCall,
  kEscape,      // stored the address of a local or of an unnamed object in shared memory
  kTrap,        // an instruction that stops: abort, __builtin_trap, a sanitizer
  kAtomic,      // accessed a C11 atomic, which the theory does not cover
  kLockMisuse,  // took a lock twice, released one that it did not hold, ended with one
  kNoLayout,    // accessed a variable without debug information
};

inline constexpr uint32_t kThreadLock = 0;
inline constexpr const char* kThreadLockName = "(thread)";

struct Trace {
  std::string thread;              // the function
  std::string build;               // compiler, level and target, as a person reads it
  std::string target;              // the architecture; empty: unknown
  std::string source;              // the file that the lines are of; may be empty
  std::vector<Symbol> symbols;     // by base
  std::vector<std::string> locks;  // [kThreadLock] is kThreadLockName
  std::vector<Event> events;
  RunEnd end = RunEnd::kEnded;
  std::string reason;  // why it is not kEnded

  // Places are below this.
  uint32_t PlaceLimit() const;
  // The symbol that a place is in; null for a place between symbols.
  const Symbol* SymbolAt(uint32_t place) const;
  // "x", "a+4", "s+2".
  std::string PlaceName(uint32_t place) const;
};

// The first free place behind the last symbol, rounded up so that symbols do not share a word.
uint32_t NextBase(const std::vector<Symbol>& symbols);

}  // namespace heddle::refine
