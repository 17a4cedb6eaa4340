// Accesses to memory: the check against what other threads did.
#pragma once

#include <cstdint>

namespace heddle::rt::detect {

struct DetectThread;

// The check of an access of any size; `flags` as in history.h. Inside a RuntimeScope.
void CheckAccess(DetectThread* self, uint64_t address, uint64_t bytes, uint8_t flags, uint64_t pc);
// The same for memory that is given back: marked as that, until it is allocated again.
void CheckFree(DetectThread* self, uint64_t address, uint64_t bytes, uint64_t pc);
// The same for an atomic access.
void CheckAtomic(DetectThread* self, uint64_t address, uint32_t bytes, bool write, uint64_t pc);

}  // namespace heddle::rt::detect
