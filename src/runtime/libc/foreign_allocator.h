// Whether a shared library other than libc serves malloc or stands behind ours: tcmalloc, jemalloc and mimalloc do,
// linked or preloaded. They hand memory from thread to thread in ways that are not seen (operator new of their own,
// calls that do not pass through us), so what is only used again would look shared.
#pragma once

namespace heddle::rt {

// The library's path; null: there is none. A program's own malloc is its business. Allocates nothing: such a library
// may be starting.
const char* ForeignAllocator();
// Whether what our malloc calls is not libc's own.
bool IsForeignBehind();

}  // namespace heddle::rt
