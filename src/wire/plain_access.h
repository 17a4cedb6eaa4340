// A plain access of an explored execution, for searches that ask whether critical sections commute (docs/explore.md,
// Pruning). The target writes these, the search reads them. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::wire {

enum class AccessKind : uint8_t {
  kRead,
  kWrite,    // may have read as well: compilers announce only the write of a pair
  kAdd,      // adds an integer to what is there, and nothing else depends on the value
  kOutside,  // code that is not instrumented may have accessed anything
};

struct PlainAccess {
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint32_t after = 0;  // so many events of the execution came before it
  uint16_t thread = 0;
  AccessKind kind = AccessKind::kRead;
};
static_assert(sizeof(PlainAccess) == 24);

}  // namespace heddle::wire
