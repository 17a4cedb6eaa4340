#include "runtime/libc/foreign_allocator.h"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>

extern "C" {
void* __libc_malloc(size_t bytes);  // NOLINT(*-reserved-identifier): libc's own names
void __libc_free(void* block);      // NOLINT(*-reserved-identifier)
}

namespace heddle::rt {
namespace {

// The path of the library that has this code; null when it is ours, libc, a C++ library, or the program itself.
const char* LibraryOf(void* code) {
  Dl_info about{};
  if (code == nullptr || dladdr(code, &about) == 0 || about.dli_fname == nullptr) return nullptr;
  const link_map* program = _r_debug.r_map;
  if (program != nullptr && program->l_addr == reinterpret_cast<ElfW(Addr)>(about.dli_fbase)) return nullptr;
  const char* slash = strrchr(about.dli_fname, '/');
  const char* name = slash == nullptr ? about.dli_fname : slash + 1;
  for (const char* known : {"libheddle_rt", "libc.so", "libstdc++", "libc++", "ld-linux"}) {
    if (strncmp(name, known, strlen(known)) == 0) return nullptr;
  }
  return strchr(name, '.') == nullptr ? nullptr : about.dli_fname;  // a program at a fixed address
}

}  // namespace

bool IsForeignBehind() { return LibraryOf(reinterpret_cast<void*>(&__libc_malloc)) != nullptr; }

const char* ForeignAllocator() {
  void* places[] = {reinterpret_cast<void*>(&__libc_malloc), reinterpret_cast<void*>(&__libc_free),
                    dlsym(RTLD_DEFAULT, "malloc"), dlsym(RTLD_DEFAULT, "free"), dlsym(RTLD_DEFAULT, "_Znwm")};
  for (void* place : places) {
    if (const char* library = LibraryOf(place); library != nullptr) return library;
  }
  return nullptr;
}

}  // namespace heddle::rt
