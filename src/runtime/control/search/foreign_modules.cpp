#include "runtime/control/search/foreign_modules.h"

#include <link.h>

#include <cstring>

#include "runtime/control/search/gaps.h"
#include "runtime/mode.h"

namespace heddle::rt::control {
namespace {

// Whose calls are intercepted where threads meet in them, or whose locks guard nothing that a program can ask for.
constexpr const char* kKnown[] = {"libc.so",  "libm.so",  "libstdc++.so", "libgcc_s.so", "ld-linux",   "libpthread.so",
                                  "libdl.so", "librt.so", "libatomic.so", "linux-vdso",  "libheddle_", "libunwind.so"};

bool g_found = false;

bool IsKnown(const char* name) {
  for (const char* known : kKnown) {
    if (strncmp(name, known, strlen(known)) == 0) return true;
  }
  return false;
}

int FindForeign(dl_phdr_info* info, size_t, void* first) {
  bool is_program = *static_cast<bool*>(first);
  *static_cast<bool*>(first) = false;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* name = slash == nullptr ? info->dlpi_name : slash + 1;
  if (is_program || *name == '\0' || IsKnown(name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    if (IsInstrumentedCode(reinterpret_cast<const void*>(info->dlpi_addr + part.p_vaddr))) return 0;  // NOLINT: code
  }
  char text[72] = "code without instrumentation: ";
  strncat(text, name, sizeof text - strlen(text) - 1);
  NoteGap(text);
  g_found = true;
  return 0;
}

}  // namespace

void NoteForeignModules() {
  bool first = true;
  dl_iterate_phdr(FindForeign, &first);
}

bool HasForeignModules() { return g_found; }

}  // namespace heddle::rt::control
