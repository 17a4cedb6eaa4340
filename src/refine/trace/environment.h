// What the environment, the other threads, does to the shared variables while a thread waits for a lock
// (section 3.2.2).
//
// A context that does not race with the thread may have changed every location that the thread did not access since its
// most recent unlock (figure 3.12). Ours changes all of them that hold integers, booleans or floating-point numbers, to
// values (now and then all zero or small) that depend only on the seed, the lock, the number of its acquisitions so
// far, and the place. Locks count in the order in which the thread first takes them, and names count without the
// prefix of the thread's variables: a thread has the same environment alone and as one of many in a file. Pointers
// stay: a random one points nowhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "refine/trace/trace.h"

namespace heddle::refine {

struct EnvironmentKey {
  uint64_t seed = 0;
  uint32_t lock = 0;  // index in Trace::locks
  uint32_t acquisition = 0;
  size_t prefix = 0;  // characters of names that do not count
};

// The value for the scalar of `byte.unit` bytes at `offset` of the symbol.
uint64_t EnvironmentValue(const EnvironmentKey& key, const Symbol& symbol, uint32_t offset);

// Bytes of the scalar that begins here, 0 when the environment leaves this byte alone.
uint32_t EnvironmentUnit(const Symbol& symbol, uint32_t offset);

}  // namespace heddle::refine
