#include "runtime/record/filter.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/memory/pages.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt {

uint64_t* g_filter = nullptr;
std::atomic<uint32_t> g_filter_generation{0};

// Large pages where the kernel gives them: the table is looked at for every access, all over.
bool StartFilter() {
  if (g_filter != nullptr) return true;
  constexpr uint64_t kLargePage = uint64_t{2} << 20U;
  void* pages = MapPages(kFilterBytes + kLargePage);
  if (pages == nullptr) return false;
  uint64_t aligned = (reinterpret_cast<uint64_t>(pages) + kLargePage - 1) & ~(kLargePage - 1);
  g_filter = reinterpret_cast<uint64_t*>(aligned);  // NOLINT: rounding an address
  Sys(SYS_madvise, g_filter, kFilterBytes, MADV_HUGEPAGE);
  return true;
}

void EmptyFilter() {
  g_filter_generation.fetch_add(1, std::memory_order_relaxed);
  Sys(SYS_madvise, g_filter, kFilterBytes, MADV_DONTNEED);
}

}  // namespace heddle::rt
