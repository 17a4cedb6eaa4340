#include "runtime/memory/pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "runtime/memory/hot_section.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt {

namespace {

constexpr uint64_t kOwnPlace = uint64_t{0x6000} << 32U;
uint64_t g_next = 0;

constexpr uint64_t kPoolBytes = uint64_t{1} << 32U;
constexpr uint64_t kFromPool = uint64_t{1} << 26U;  // larger ones are mapped
HEDDLE_HOT_SECTION uint64_t g_pool = 0;
uint64_t g_pool_end = 0;

void* TakeFromPool(size_t bytes) {
  uint64_t room = (bytes + 4095) & ~uint64_t{4095};
  if (room > kFromPool || room > g_pool_end - g_pool) return nullptr;
  uint64_t at = __atomic_fetch_add(&g_pool, room, __ATOMIC_RELAXED);
  return reinterpret_cast<void*>(at);  // NOLINT: in the pool
}

}  // namespace

void UseOwnPages() { g_next = kOwnPlace; }

void* PageHint(size_t bytes) {
  if (g_next == 0) return nullptr;
  uint64_t room = (bytes + 0xFFFFU) & ~uint64_t{0xFFFF};
  return reinterpret_cast<void*>(__atomic_fetch_add(&g_next, room, __ATOMIC_RELAXED));  // NOLINT: a chosen address
}

// System calls by number: mmap and munmap are intercepted.
void* MapPages(size_t bytes) {
  if (void* pooled = TakeFromPool(bytes); pooled != nullptr) return pooled;
  long at = Sys(SYS_mmap, PageHint(bytes), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0L);
  return at == -1 ? nullptr : reinterpret_cast<void*>(at);  // NOLINT: the kernel gives the address as a number
}

void AskForPages(uint64_t at, size_t bytes) {
  if (g_pool != 0) return;
  uint64_t begin = at & ~uint64_t{4095};
  Sys(SYS_madvise, begin, at + bytes - begin, MADV_POPULATE_WRITE);
}

void KeepAhead(const char* used, const char** ready, const char* end) {
  constexpr ptrdiff_t kAhead = 64 << 10;
  if (used <= *ready) return;
  ptrdiff_t bytes = end - *ready < kAhead ? end - *ready : kAhead;
  AskForPages(reinterpret_cast<uint64_t>(*ready), static_cast<size_t>(bytes));
  *ready += bytes;
}

void UnmapPages(void* at, size_t bytes) {
  if (g_pool == 0) Sys(SYS_munmap, at, bytes);
}

bool UsePagePool() {
  if (g_pool != 0) return true;
  void* pool = MapPages(kPoolBytes);
  if (pool == nullptr) return false;
  g_pool = reinterpret_cast<uint64_t>(pool);
  g_pool_end = g_pool + kPoolBytes;
  return true;
}

}  // namespace heddle::rt
