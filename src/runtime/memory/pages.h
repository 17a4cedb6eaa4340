// Memory of the runtime itself, from the kernel and never from the target's malloc. Zero at first.
#pragma once

#include <cstddef>

namespace heddle::rt {

void* MapPages(size_t bytes);  // null when the kernel refuses
void UnmapPages(void* at, size_t bytes);

}  // namespace heddle::rt
