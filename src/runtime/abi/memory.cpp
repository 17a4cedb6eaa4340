// __tsan_memcpy and friends: what clang calls instead of the memory intrinsics.
#include "runtime/libc/real.h"
#include "runtime/mode.h"

#define HEDDLE_ABI extern "C" __attribute__((visibility("default")))

using heddle::rt::g_access;

HEDDLE_ABI void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  g_access.read_range(const_cast<void*>(from), bytes, HEDDLE_PC);
  g_access.write_range(to, bytes, HEDDLE_PC);
  return REAL(memmove)(to, from, bytes);
}

HEDDLE_ABI void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
  g_access.read_range(const_cast<void*>(from), bytes, HEDDLE_PC);
  g_access.write_range(to, bytes, HEDDLE_PC);
  return REAL(memmove)(to, from, bytes);
}

HEDDLE_ABI void* __tsan_memset(void* to, int value, unsigned long bytes) {
  g_access.write_range(to, bytes, HEDDLE_PC);
  return REAL(memset)(to, value, bytes);
}
