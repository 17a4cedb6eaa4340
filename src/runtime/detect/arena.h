// Small memory of the detector: blocks in powers of two from 64 bytes to 64 KiB, each size with its list of free ones.
// Never given back to the system, always reused. Any thread may call it, inside a RuntimeScope.
#pragma once

#include <cstddef>

namespace heddle::rt::detect {

void* ArenaTake(size_t bytes);  // zeroed; null when the system has no memory left
void ArenaGive(void* block, size_t bytes);
void LockArena();  // around fork
void UnlockArena();

}  // namespace heddle::rt::detect
