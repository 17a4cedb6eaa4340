// The functions of OpenMP's library behind those that heddle wraps.
#pragma once

#include <dlfcn.h>

#include "runtime/libc/real.h"

namespace heddle::rt {

// The linker leaves libgomp out (--as-needed) when heddle's runtime has everything that the program calls. libomp has
// more that the program calls than what is wrapped.
template <typename F>
F* BehindOpenMp(const char* name) {
  void* found = FindNext(name);
  if (found == nullptr) {
    void* library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) found = dlsym(library, name);
  }
  return reinterpret_cast<F*>(found);
}

}  // namespace heddle::rt
