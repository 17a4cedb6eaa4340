#include "runtime/memory/pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/raw_syscall.h"

namespace heddle::rt {

// System calls by number: mmap and munmap are intercepted.
void* MapPages(size_t bytes) {
  long at = Sys(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
  return at == -1 ? nullptr : reinterpret_cast<void*>(at);  // NOLINT: the kernel gives the address as a number
}

void UnmapPages(void* at, size_t bytes) { Sys(SYS_munmap, at, bytes); }

}  // namespace heddle::rt
