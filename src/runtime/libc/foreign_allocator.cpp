#include "runtime/libc/foreign_allocator.h"

#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "runtime/libc/elf_symbols.h"
#include "runtime/libc/libc_heap.h"
#include "runtime/memory/pages.h"
#include "runtime/raw_syscall.h"
#include "wire/environment.h"

extern "C" void* __libc_stack_end;  // NOLINT(*-reserved-identifier): of the dynamic linker

namespace heddle::rt {

constinit LibcHeap g_libc_heap;

namespace {

constexpr char kPreload[] = "LD_PRELOAD";

const char* FileName(const link_map* module) {
  const char* slash = strrchr(module->l_name, '/');
  return slash == nullptr ? module->l_name : slash + 1;
}

// Whether its malloc is nobody's replacement: the program's own, ours, libc's, and what C++ libraries have of it.
bool IsUsual(const link_map* module) {
  if (module == _r_debug.r_map) return true;
  for (const char* known : {"libheddle_rt", "libc.so", "libstdc++", "libc++", "ld-linux"}) {
    if (strncmp(FileName(module), known, strlen(known)) == 0) return true;
  }
  return false;
}

const link_map* FirstWith(const char* name, const link_map* from) {
  const link_map* module = from;
  while (module != nullptr && DefinedIn(module, name) == nullptr) module = module->l_next;
  return module;
}

// Whether `name` hands out or takes back blocks, by a name that only this library has.
bool IsOwnCall(const char* name) {
  for (const char* harmless : {"MallocExtension", "mallctl", "malloc_stats", "malloc_message", "mallopt", "mallinfo"}) {
    if (strstr(name, harmless) != nullptr) return false;
  }
  for (const char* usual : {"malloc", "calloc", "realloc", "reallocarray", "free", "cfree", "memalign", "aligned_alloc",
                            "posix_memalign", "valloc", "pvalloc", "malloc_usable_size"}) {
    if (strcmp(name, usual) == 0) return false;
  }
  for (const char* language : {"_Znw", "_Zna", "_Zdl", "_Zda", "__libc_"}) {
    if (strncmp(name, language, strlen(language)) == 0) return false;
  }
  for (const char* part : {"alloc", "free", "new", "delete", "dup", "heap"}) {
    if (strstr(name, part) != nullptr) return true;
  }
  return false;
}

struct Search {
  const link_map* library;
  const char* call = nullptr;
};

bool IsCallOf(const char* name, void* context) {
  auto* search = static_cast<Search*>(context);
  if (!IsOwnCall(name) || DefinedIn(search->library, name) == nullptr) return false;
  search->call = name;
  return true;
}

// A name of its own by which another module calls the library.
const char* OwnCall(const link_map* library) {
  Search search{library};
  for (const link_map* module = _r_debug.r_map; module != nullptr; module = module->l_next) {
    if (module != library && AnyWanted(module, IsCallOf, &search)) break;
  }
  return search.call;
}

bool UseLibcHeap() {
  const link_map* libc = FindModule("libc.so");
  auto find = [libc](auto* to, const char* name) {
    void* found = DefinedIn(libc, name);
    if (found != nullptr) *to = reinterpret_cast<std::remove_pointer_t<decltype(to)>>(found);
    return found != nullptr;
  };
  LibcHeap heap;
  bool all = find(&heap.malloc, "__libc_malloc") && find(&heap.calloc, "__libc_calloc") &&
             find(&heap.realloc, "__libc_realloc") && find(&heap.memalign, "__libc_memalign") &&
             find(&heap.free, "__libc_free");
  if (all) g_libc_heap = heap;
  return all;
}

// "NAME=first:second" in memory of ours; `second` may be null.
char* Setting(const char* name, const char* first, const char* second) {
  size_t bytes = strlen(name) + strlen(first) + (second == nullptr ? 0 : strlen(second)) + 3;
  auto* text = static_cast<char*>(MapPages(bytes));
  if (text == nullptr) return nullptr;
  char* end = stpcpy(stpcpy(stpcpy(text, name), "="), first);
  if (second != nullptr) stpcpy(stpcpy(end, *first == '\0' ? "" : ":"), second);
  return text;
}

bool IsSetting(const char* entry, const char* name) {
  size_t length = strlen(name);
  return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

// The program once more, with us before the libraries that are preloaded. Returns only when that is not possible.
void StartAgain(const link_map* us) {
  const char* before = getenv(kPreload);
  size_t count = 0;
  while (environ[count] != nullptr) ++count;
  auto** changed = static_cast<char**>(MapPages((count + 3) * sizeof(char*)));
  char* preload = Setting(kPreload, us->l_name, before);
  char* note = Setting(wire::variable::kPreloads, "", before == nullptr ? "" : before);
  if (changed == nullptr || preload == nullptr || note == nullptr) return;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsSetting(environ[i], kPreload)) changed[kept++] = environ[i];
  }
  changed[kept++] = preload;
  changed[kept] = note;
  auto* stack = static_cast<uint64_t*>(__libc_stack_end);
  Sys(SYS_execve, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(stack + 1),
      reinterpret_cast<long>(changed));
}

}  // namespace

void RestorePreloads() {
  const char* before = getenv(wire::variable::kPreloads);
  if (before == nullptr) return;
  char* preload = *before == '\0' ? nullptr : Setting(kPreload, "", before);
  size_t kept = 0;
  for (size_t i = 0; environ[i] != nullptr; ++i) {
    if (IsSetting(environ[i], wire::variable::kPreloads)) continue;
    if (!IsSetting(environ[i], kPreload)) {
      environ[kept++] = environ[i];
    } else if (preload != nullptr) {
      environ[kept++] = preload;
    }
  }
  environ[kept] = nullptr;
}

void NoteForeignHeap() {
  const link_map* behind = FirstWith("__libc_malloc", _r_debug.r_map);
  g_libc_heap.is_libc = behind == nullptr || IsUsual(behind);
}

Refusal TakeAllocatorsPlace() {
  const link_map* us = FindModule("libheddle_rt");
  if (us == nullptr) return {};
  for (const char* name : {"malloc", "free", "_Znwm", "_ZdlPv"}) {
    const link_map* first = FirstWith(name, _r_debug.r_map);
    if (first == nullptr || IsUsual(first)) continue;
    if (getenv(wire::variable::kPreloads) == nullptr) StartAgain(us);
    NoteForeignHeap();
    return {first->l_name, nullptr};
  }
  for (const char* name : {"malloc", "free", "_Znwm", "__libc_malloc", "__libc_free"}) {
    const link_map* behind = FirstWith(name, us->l_next);
    if (behind == nullptr || IsUsual(behind)) continue;
    const char* call = OwnCall(behind);
    if (call == nullptr && UseLibcHeap()) continue;
    NoteForeignHeap();
    return {behind->l_name, call};
  }
  return {};
}

}  // namespace heddle::rt
