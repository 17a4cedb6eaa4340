#include "runtime/memory/pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "runtime/raw_syscall.h"

namespace heddle::rt {

namespace {

constexpr uint64_t kOwnPlace = uint64_t{0x6000} << 32U;
uint64_t g_next = 0;

}  // namespace

void UseOwnPages() { g_next = kOwnPlace; }

void* PageHint(size_t bytes) {
  if (g_next == 0) return nullptr;
  uint64_t room = (bytes + 0xFFFFU) & ~uint64_t{0xFFFF};
  return reinterpret_cast<void*>(__atomic_fetch_add(&g_next, room, __ATOMIC_RELAXED));  // NOLINT: a chosen address
}

// System calls by number: mmap and munmap are intercepted.
void* MapPages(size_t bytes) {
  long at = Sys(SYS_mmap, PageHint(bytes), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0L);
  return at == -1 ? nullptr : reinterpret_cast<void*>(at);  // NOLINT: the kernel gives the address as a number
}

void UnmapPages(void* at, size_t bytes) { Sys(SYS_munmap, at, bytes); }

}  // namespace heddle::rt
