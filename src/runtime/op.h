// A visible operation: one intercepted call, as the modes see it. The fields are those of a trace event.
#pragma once

#include <cstdint>

#include "trace/event_kind.h"

namespace heddle::rt {

using trace::AllocHow;
using trace::Kind;
using trace::LockClass;
using trace::LockDetail;
using trace::Manner;
using trace::Order;
using trace::Outcome;
using trace::RmwOp;

struct Op {
  // One word of memory: written byte by byte and read as a whole it would stall every operation.
  Kind kind : 8 = Kind::None;
  uint32_t detail : 8 = 0;
  uint32_t result : 8 = 0;
  uint32_t order : 8 = 0;
  uint64_t address = 0;
  uint64_t pc = 0;
  uint64_t arg = 0;
  uint64_t arg2 = 0;
  uint64_t arg3 = 0;
};

// Field `arg3` of an AtomicRmw: the order of this one and others of its kind is left open by a search, so it acquires
// nothing. Not in traces.
inline constexpr uint64_t kLearnsNothing = 1;

inline Op MakeOp(Kind kind, const volatile void* address, const void* pc, uint64_t arg = 0) {
  Op op;
  op.kind = kind;
  op.address = reinterpret_cast<uint64_t>(address);
  op.pc = reinterpret_cast<uint64_t>(pc);
  op.arg = arg;
  return op;
}

// errno values as outcomes.
Outcome OutcomeOf(int error);

}  // namespace heddle::rt
