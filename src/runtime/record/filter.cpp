#include "runtime/record/filter.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/memory/pages.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt {

uint64_t* g_filter = nullptr;
std::atomic<uint32_t> g_filter_generation{0};

namespace {
// One page more: the inline look at an unaligned 16-byte access reads the entry behind its first, wherever that is.
constexpr uint64_t kMappedBytes = kFilterBytes + 4096;
}  // namespace

// Large pages where the kernel gives them: the table is looked at for every access, all over.
bool StartFilter() {
  if (g_filter != nullptr) return true;
  long wanted = Sys(SYS_mmap, kFilterAddress, kMappedBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0L);
  if (static_cast<uint64_t>(wanted) == kFilterAddress) {
    g_filter = reinterpret_cast<uint64_t*>(wanted);  // NOLINT: the kernel gives the address as a number
  } else {
    g_filter = static_cast<uint64_t*>(MapPages(kMappedBytes));
  }
  if (g_filter != nullptr) Sys(SYS_madvise, g_filter, kFilterBytes, MADV_HUGEPAGE);
  return g_filter != nullptr;
}

bool FilterIsInline() { return reinterpret_cast<uint64_t>(g_filter) == kFilterAddress; }

void EmptyFilter() {
  g_filter_generation.fetch_add(1, std::memory_order_relaxed);
  Sys(SYS_madvise, g_filter, kFilterBytes, MADV_DONTNEED);
}

}  // namespace heddle::rt
