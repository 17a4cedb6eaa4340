// The operation that a thread stands before, as strategies see it. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::sched {

// A visible operation that a thread stands before or has performed. `operation` is a code of operation.h.
struct NextOp {
  uint8_t operation = 0;
  bool writes = true;  // false: commutes with other operations on the address that do not write
  uint64_t address = 0;
  uint64_t pc = 0;
  // For those who need to know more: the fields of the trace event, and whether it may have to wait.
  uint64_t arg = 0;
  uint8_t detail = 0;
  bool waits = false;
  bool unused = false;  // nobody looks at its result
  bool timed = false;   // it waits with a limit: never disabled
  uint64_t places = 0;  // steer.h: of the cycle that the threads are led into, a set of bits
  uint64_t before = 0;  // an atomic that is performed: the eight aligned bytes around it, before that
};

}  // namespace heddle::sched
