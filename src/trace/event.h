// One decoded event, as every consumer sees it.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/event_kind.h"

namespace heddle::trace {

struct Event {
  Kind kind = Kind::None;
  uint8_t detail = 0;     // plain accesses and atomics: size in bytes; locks: LockDetail; see event_kind.h
  uint8_t result = 0;     // Outcome; plain accesses: flags; AtomicRmw: RmwOp; AtomicCas: 1 if it stored
  uint8_t order = 0;      // atomics, fences: Order
  uint32_t thread = 0;    // dense number within the file; TraceInfo has the stable name
  uint32_t stack = 0;     // innermost call in StackTable, 0 when unknown
  uint64_t address = 0;   // of the object or memory; FdRead...: the descriptor
  uint64_t pc = 0;        // return address of the call that the compiler placed; 0 when unknown
  uint64_t sequence = 0;  // place in the global order; 0 for plain accesses
  uint64_t arg = 0;       // meaning by kind (docs/trace-format.md)
  uint64_t arg2 = 0;
  uint64_t arg3 = 0;

  // Bytes that a memory access covers; 0 for other events.
  uint64_t AccessBytes() const {
    if (IsRange(kind)) return arg;
    return IsPlainAccess(kind) || IsAtomic(kind) || kind == Kind::OrderedRead || kind == Kind::OrderedWrite ? detail
                                                                                                            : 0;
  }
  bool IsPlainWrite() const { return kind == Kind::Write || kind == Kind::WriteRange || kind == Kind::OrderedWrite; }
  bool IsPlainRead() const { return kind == Kind::Read || kind == Kind::ReadRange || kind == Kind::OrderedRead; }
  bool Succeeded() const { return result == static_cast<uint8_t>(Outcome::Success); }
};

std::string_view KindName(Kind kind);
std::string_view OrderName(uint8_t order);
std::string_view OutcomeName(uint8_t outcome);
std::string_view RmwOpName(uint8_t op);
Kind KindFromName(std::string_view name);  // Kind::None when there is no such kind

}  // namespace heddle::trace
