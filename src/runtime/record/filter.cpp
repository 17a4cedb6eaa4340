#include "runtime/record/filter.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/memory/pages.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt {

uint64_t* g_filter = nullptr;

bool StartFilter() {
  if (g_filter == nullptr) g_filter = static_cast<uint64_t*>(MapPages(kFilterBytes));
  return g_filter != nullptr;
}

void EmptyFilter() { Sys(SYS_madvise, g_filter, kFilterBytes, MADV_DONTNEED); }

}  // namespace heddle::rt
