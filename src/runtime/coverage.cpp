// Only in builds that measure coverage (preset `coverage`): the counters that clang adds to this library are moved into
// a file that all processes share. So nothing has to be written at the end of a program that may be killed, stopped or
// taken back to an earlier state. scripts/coverage reads the file.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdint>

#include "runtime/raw_syscall.h"

#ifndef HEDDLE_COUNTERS_FILE  // the build names it; for tools that read this file alone
#define HEDDLE_COUNTERS_FILE ""
#endif

extern "C" {
// NOLINTBEGIN(*-reserved-identifier): names of the linker and of clang
extern char __start___llvm_prf_cnts[] __attribute__((visibility("hidden")));
extern char __stop___llvm_prf_cnts[] __attribute__((visibility("hidden")));
extern intptr_t __llvm_profile_counter_bias __attribute__((visibility("hidden")));
// NOLINTEND(*-reserved-identifier)
}

namespace heddle::rt {
namespace {

__attribute__((constructor(101), no_profile_instrument_function)) void ShareCounters() {
  long bytes = __stop___llvm_prf_cnts - __start___llvm_prf_cnts;
  long fd = Sys(SYS_openat, AT_FDCWD, HEDDLE_COUNTERS_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  Sys(SYS_ftruncate, fd, bytes);
  long at = Sys(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  Sys(SYS_close, fd);
  if (at != -1) __llvm_profile_counter_bias = at - reinterpret_cast<intptr_t>(__start___llvm_prf_cnts);
}

}  // namespace
}  // namespace heddle::rt
