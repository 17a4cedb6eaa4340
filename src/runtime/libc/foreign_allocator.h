// Programs with an allocator of another library: tcmalloc, jemalloc and mimalloc, linked or preloaded.
//
// Such a library hands memory from thread to thread unseen, so what is only used again would look shared. In a program
// that is watched, it gives way: our malloc and operator new come first, and libc's allocator is behind them. When the
// library comes before ours (it was preloaded), the program starts once more with ours before it. What cannot be
// followed is refused: a program that calls the library by names of its own (mallocx, mi_malloc, tc_malloc), whose
// blocks it may then give to free.
#pragma once

namespace heddle::rt {

struct Refusal {
  const char* library = nullptr;  // path; null: nothing is in the way
  const char* call = nullptr;     // the name of its own by which it is called; null: it comes before our malloc
};

// Makes other allocators give way. To be called before the first block is had. Allocates nothing: such a library may
// be starting. A program's own malloc is its business. May start the program again, and then does not return.
Refusal TakeAllocatorsPlace();

// In a program that is not watched: whether another library's allocator is behind ours.
void NoteForeignHeap();

// Takes what the start above left in the environment out again.
void RestorePreloads();

}  // namespace heddle::rt
