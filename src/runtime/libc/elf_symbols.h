// The dynamic symbols of a loaded module, read where the dynamic linker has them. dlsym will not do while an allocator
// is starting: it may allocate, and it cannot say what a module asks for.
#pragma once

#include <link.h>

namespace heddle::rt {

// The first loaded module whose file name (without folders) begins with `name`; null: none.
const link_map* FindModule(const char* name);

// The address of a function that `module` defines under `name`; null: it defines none.
void* DefinedIn(const link_map* module, const char* name);

// Calls `see(name, context)` for each symbol that `module` takes from others, until it returns true; returns that.
bool AnyWanted(const link_map* module, bool (*see)(const char* name, void* context), void* context);

}  // namespace heddle::rt
